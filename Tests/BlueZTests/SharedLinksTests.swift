import BLE
import BLEDBus
import BLEDBusTesting
import Testing
import VirtualBlueZ

@testable import BlueZ

/// Several programs on `hci0`, each with a connection to the bus of its own, and one ball on `hci1`.
@Suite("A link that several programs use", .timeLimit(.minutes(10)))
struct SharedLinksTests {
    /// A pair, and another program on the asking adapter.
    private struct Scene {
        let pair: Pair
        let first: Adapter
        let second: Adapter
        let publication: any Publication
        let peer: PeerID
        /// What the second adapter logs.
        let log = RecordedLog()

        init() async throws {
            pair = try await Pair()
            first = pair.asking
            second = try await Adapter.open(
                "hci0",
                at: BusAddress(pair.bus.address),
                logger: log.logger
            )
            publication = try await pair.answering.publish(responder: pair.responder)
            peer = try await pair.find().peer
            // The other program knows it, too.
            for try await case .seen(let sighting) in try await second.scan(ScanFilter())
            where sighting.peer == peer {
                break
            }
        }

        /// Returns when the ball has no link any more.
        func parted() async {
            for await event in pair.responder.events {
                if case .disconnected = event { return }
                guard case .ended(let error) = event else { continue }
                Issue.record("it ended: \(error)")
                return
            }
        }

        func end() async {
            await second.close()
            await pair.close()
        }
    }

    private func link(_ adapter: Adapter, _ scene: Scene) async throws -> any Link {
        let link = try await adapter.link(to: scene.peer)
        try await link.subscribe(to: World.answer)
        return link
    }

    /// The link can be subscribed over, which fails once somebody is ending it, and carries a request
    /// and what is notified.
    private func use(_ link: any Link, _ value: UInt8, _ scene: Scene) async throws {
        try await link.unsubscribe(from: World.answer)
        try await link.subscribe(to: World.answer)
        try await link.write([value], to: World.question)
        try await scene.publication.update(World.answer, to: [value])
        for await event in link.events where event.value == [value] { return }
        Issue.record("the link ended before \(value) was notified")
    }

    @Test func `stays until the last has left, whoever made it`() async throws {
        for makerIsFirst in [true, false] {
            let scene = try await Scene()
            let one = try await link(scene.first, scene)
            let other = try await link(scene.second, scene)
            let (early, late) = makerIsFirst ? (one, other) : (other, one)
            await early.disconnect()
            await early.expectEnd()
            try await use(late, 1, scene)
            await late.disconnect()
            await late.expectEnd()
            await scene.parted()
            await scene.end()
        }
    }

    @Test func `stays when one program closes its adapter`() async throws {
        let scene = try await Scene()
        _ = try await link(scene.first, scene)
        let other = try await link(scene.second, scene)
        await scene.first.close()
        try await use(other, 1, scene)
        await scene.second.close()
        await scene.parted()
        await scene.end()
    }

    @Test func `is made once when all begin together, and ended once`() async throws {
        let scene = try await Scene()
        async let one = link(scene.first, scene)
        async let other = link(scene.second, scene)
        let links = try await [one, other]
        for (number, link) in links.enumerated() { try await use(link, UInt8(number), scene) }
        async let oneEnd: Void = links[0].disconnect()
        async let otherEnd: Void = links[1].disconnect()
        _ = await (oneEnd, otherEnd)
        await scene.parted()
        await scene.end()
    }

    @Test func `is ended by who came before its maker subscribed`() async throws {
        let scene = try await Scene()
        let one = try await scene.first.link(to: scene.peer)
        let other = try await scene.second.link(to: scene.peer)
        // It waits for a moment, whether somebody else subscribes.
        async let subscription: Void = other.subscribe(to: World.answer)
        try await one.subscribe(to: World.answer)
        try await subscription
        await one.disconnect()
        try await use(other, 1, scene)
        await other.disconnect()
        await scene.parted()
        await scene.end()
    }

    @Test func `can be made anew by who came while it was being ended`() async throws {
        let scene = try await Scene()
        let one = try await link(scene.first, scene)
        let other = try await scene.second.link(to: scene.peer)
        // Nothing shows that it is used.
        await one.disconnect()
        await #expect {
            try await other.subscribe(to: World.answer)
        } throws: {
            isRadioError(.peerGone)($0)
        }
        // It needs no disconnecting, and the next one waits for its end.
        let next = try await link(scene.second, scene)
        try await use(next, 1, scene)
        await next.disconnect()
        await scene.end()
    }

    @Test func `stays when another program made it, and none of them notifies`() async throws {
        let scene = try await Scene()
        let foreigner = try await ForeignClient.open(on: scene.pair.bus.address)
        try await foreigner.connect(to: 1, with: 0)
        let link = try await link(scene.first, scene)
        try await use(link, 1, scene)
        await link.disconnect()
        await link.expectEnd()
        await scene.first.close()
        let other = try await self.link(scene.second, scene)
        try await use(other, 2, scene)
        try await foreigner.disconnect(from: 1, with: 0)
        var subscriptionCount = 0
        for await event in scene.pair.responder.events {
            if case .subscribed = event { subscriptionCount += 1 }
            if case .disconnected = event { break }
        }
        #expect(subscriptionCount == 4, "the link was ended before")
        await foreigner.leave()
        await scene.end()
    }

    @Test func `stays as long as another program holds a socket for notifications`() async throws {
        let scene = try await Scene()
        let link = try await scene.first.link(to: scene.peer)
        let foreigner = try await ForeignClient.open(on: scene.pair.bus.address)
        let answer = World.answer.characteristic.longText
        try await foreigner.acquireNotify(answer, of: 1, with: 0)
        try await link.write([1], to: World.question)
        await link.disconnect()
        await link.expectEnd()
        let next = try await scene.second.link(to: scene.peer)
        try await next.write([2], to: World.question)
        await foreigner.leave()
        while await scene.second.isNotifying(.root) { await Task.yield() }
        await next.disconnect()
        await scene.parted()
        await scene.end()
    }

    @Test func `takes both programs' writes, one after the other`() async throws {
        let scene = try await Scene()
        let one = try await link(scene.first, scene)
        let other = try await link(scene.second, scene)
        await scene.pair.responder.hold()
        var calls = scene.pair.responder.calls.makeAsyncIterator()
        let first = Task { try await one.write([1], to: World.question) }
        _ = await calls.next()
        // bluetoothd refuses it as long as the other one is under way.
        let second = Task { try await other.write([2], to: World.question) }
        await scene.log.wait(for: "is in progress")
        await scene.pair.responder.release()
        try await first.value
        try await second.value
        await scene.end()
    }
}
