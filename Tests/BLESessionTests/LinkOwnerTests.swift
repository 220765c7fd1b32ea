import BLE
import BLETesting
import Testing

@testable import BLESession

@Suite("Who owns a pool of links", .timeLimit(.minutes(10)))
struct LinkOwnerTests {
    /// Makes links, and uses them when it is told to.
    private actor Owner: LinkOwner {
        var links: LinkPool
        nonisolated let executor: any RadioExecutor
        private(set) var ended: [PeerID] = []

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }

        init(_ radio: MemoryRadio, _ maximumCount: Int?, on clock: ManualClock) {
            executor = radio.executor
            links = LinkPool(
                over: radio,
                atMost: maximumCount,
                keepingIdleFor: .seconds(5),
                on: clock
            )
        }

        func link(to peer: PeerID) async throws {
            do {
                let link = try await prepareLink(to: peer, where: { _ in true }) { link, _ in link }
                links.add(link)
                executor.task(of: self) { owner in
                    for await event in link.events {
                        if case .disconnected = event { owner.didEnd(peer) }
                    }
                }
            } catch {
                links.remove(peer)
                throw error
            }
        }

        private func didEnd(_ peer: PeerID) {
            ended.append(peer)
            links.remove(peer)
        }

        func finish(_ peer: PeerID) { endUse(of: peer) }

        func removeIdleLink(to peer: PeerID) -> (any Link)? { links[peer] }

        func isLinked(to peer: PeerID) -> Bool { links[peer] != nil }
    }

    private struct Scene {
        let clock = ManualClock()
        let air: MemoryAir
        let owner: Owner
        var peers: [PeerID] = []

        init(_ count: Int, atMost maximumCount: Int? = nil, room: Int = 7) async throws {
            air = MemoryAir(clock: clock)
            var configuration = MemoryRadio.Configuration()
            configuration.connectionCount = room
            let central = await air.radio("Phone", configuration)
            owner = Owner(central, maximumCount, on: clock)
            for number in 0..<count {
                let radio = await air.radio("Torch \(number)")
                _ = try await radio.advertise(Advertisement(localName: "Torch", serviceUUIDs: []))
                for try await case .seen(let sighting) in try await central.scan(ScanFilter())
                where sighting.peer == radio.peer { break }
                peers.append(radio.peer)
            }
        }
    }

    @Test(arguments: [(2, 7), (nil, 2)] as [(Int?, Int)])
    func `ends the one that was idle longest where there is no room for another`(
        maximumCount: Int?,
        room: Int
    ) async throws {
        let scene = try await Scene(3, atMost: maximumCount, room: room)
        let (owner, peers) = (scene.owner, scene.peers)
        for peer in peers[..<2] { try await owner.link(to: peer) }
        for peer in peers[..<2].reversed() { await owner.finish(peer) }
        try await owner.link(to: peers[2])
        #expect(await owner.ended == [peers[1]])
        for peer in [peers[0], peers[2]] { #expect(await owner.isLinked(to: peer)) }
    }

    @Test(arguments: [(2, 7), (nil, 2)] as [(Int?, Int)])
    func `says that there is no room when all are in use`(
        maximumCount: Int?,
        room: Int
    ) async throws {
        let scene = try await Scene(3, atMost: maximumCount, room: room)
        for peer in scene.peers[..<2] { try await scene.owner.link(to: peer) }
        await #expect {
            try await scene.owner.link(to: scene.peers[2])
        } throws: {
            ($0 as? RadioError)?.code == .limitReached
        }
        // A failed attempt takes no room.
        await scene.owner.finish(scene.peers[0])
        try await scene.owner.link(to: scene.peers[2])
        #expect(await scene.owner.ended == [scene.peers[0]])
    }

    @Test func `ends a link that was idle for the limit`() async throws {
        let scene = try await Scene(1)
        let (owner, peer, clock) = (scene.owner, scene.peers[0], scene.clock)
        try await owner.link(to: peer)
        await owner.finish(peer)
        try await clock.run { while await owner.isLinked(to: peer) { await Task.yield() } }
        #expect(await owner.ended == [peer])
    }
}
