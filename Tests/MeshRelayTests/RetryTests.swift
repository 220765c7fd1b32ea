import BLE
import BLETesting
import Testing

@testable import MeshRelay

@Suite("A neighbour to which a connection failed", .timeLimit(.minutes(10)))
struct RetryTests {
    private let scene = RelayScene()

    /// Publishes the service, or one without its packets, as a program may for a moment that starts or ends.
    private func publish(
        on radio: MemoryRadio,
        hasPackets: Bool = false
    ) async throws -> any Publication {
        let other = GATTService(
            uuid: RelayService.uuid,
            characteristics: [GATTCharacteristic(uuid: "2A00", properties: .read)]
        )
        return try await radio.publish(
            hasPackets ? RelayService.description : other,
            advertising: Advertisement(localName: "bobby", serviceUUIDs: [RelayService.uuid]),
            responder: NoResponder()
        )
    }

    private func waitForFailures(_ count: Int, of member: RelayScene.Member) async {
        while await member.node.peers.values.allSatisfy({ $0.failureCount < count }) {
            await Task.yield()
        }
    }

    private func waitForNeighbour(of member: RelayScene.Member) async {
        for await case .connected in member.events { return }
    }

    /// It is forgotten with the radio, and seen again while bluetoothd still ends the connection.
    @Test func `is not called again before an earlier connection has ended`() async throws {
        let members = try await scene.members("alice", "bobby")
        let (alice, bob) = (members[0], members[1])
        let peer = bob.radio.peer
        await alice.radio.simulateDisconnecting(takes: .seconds(3_600))
        try await scene.pass {
            for member in members { try await member.node.start() }
            try await alice.waitUntilConnected(to: 1)
            await alice.node.forget(peer)
            while await alice.node.peers[peer]?.neighbour.name != "bobby#1234" {
                await Task.yield()
            }
        }
        #expect(await alice.node.peers[peer]?.connection == nil)
        await alice.radio.simulateDisconnecting(takes: .zero)
        await scene.clock.advance(by: .seconds(3_600))
        try await scene.pass { try await alice.waitUntilConnected(to: 1) }
        try await scene.stop(members)
    }

    /// A program that starts may be called several times before it serves, and was not heard yet.
    @Test(arguments: [1, 4])
    func `is connected to when it is a node soon after`(failureCount: Int) async throws {
        let alice = try await scene.member("alice")
        let bob = try await scene.member("bobby")
        let publication = try await publish(on: bob.radio)
        let elapsed = scene.clock.stopwatch()
        try await scene.pass {
            try await alice.node.start()
            await waitForFailures(failureCount, of: alice)
            await publication.withdraw()
            try await bob.node.start()
            await waitForNeighbour(of: alice)
        }
        #expect(elapsed() < .seconds(60))
        try await scene.stop([alice, bob])
    }

    @Test func `is left alone for longer each time that it is no node`() async throws {
        var timeouts = RelayTimeouts()
        timeouts.longestRetry = .seconds(2)
        timeouts.rest = .seconds(40)
        let alice = try await scene.member("alice", timeouts: timeouts)
        let bob = try await scene.member("bobby")
        let publication = try await publish(on: bob.radio)
        let elapsed = scene.clock.stopwatch()
        try await scene.pass {
            try await alice.node.start()
            await waitForFailures(7, of: alice)
        }
        // 1, 2, 4, 8, 16 and 32 s; who waits may be late.
        #expect(elapsed() > .seconds(63) && elapsed() < .seconds(120))
        try await scene.pass { await waitForFailures(8, of: alice) }
        #expect(elapsed() > .seconds(63) + timeouts.rest && elapsed() < .seconds(200))
        try await scene.stop([alice])
        await publication.withdraw()
    }

    /// A program that starts again may take long, over a connection that stays.
    @Test func `is tried again soon when it was a node before`() async throws {
        let alice = try await scene.member("alice")
        let bob = try await scene.member("bobby")
        try await scene.pass {
            try await alice.node.start()
            try await bob.node.start()
            await waitForNeighbour(of: alice)
        }
        let elapsed = scene.clock.stopwatch()
        let publication = try await scene.pass {
            await bob.node.stop()
            let publication = try await publish(on: bob.radio)
            await waitForFailures(4, of: alice)
            return publication
        }
        try await scene.pass {
            await publication.withdraw()
            try await bob.node.start()
            await waitForNeighbour(of: alice)
        }
        #expect(elapsed() < .seconds(60))
        try await scene.stop([alice, bob])
    }

    /// Who takes a service back has been a node.
    @Test(arguments: [
        (RadioError.Code.servicesInvalidated, RelayError.Code.connectionFailed),
        (.peerGone, .connectionFailed), (.missingAttribute, .notANode),
    ])
    func `is no node when it lacks something, not when it takes something back`(
        code: RadioError.Code,
        expected: RelayError.Code
    ) {
        #expect(RelayError("connecting", failedWith: RadioError(code, "")).code == expected)
    }

    /// bluetoothd reports who is there once, as long as nothing of it changes.
    @Test func `is tried again without being seen again`() async throws {
        let alice = try await scene.member("alice")
        let bob = try await scene.member("bobby", advertisingInterval: .seconds(1_000))
        await bob.radio.simulateConnectionAttempts(
            .fail(RadioError(.connectionFailed, "it does not answer"))
        )
        let publication = try await publish(on: bob.radio, hasPackets: true)
        let elapsed = scene.clock.stopwatch()
        try await scene.pass {
            try await alice.node.start()
            await waitForFailures(2, of: alice)
        }
        await bob.radio.simulateConnectionAttempts(.succeed)
        try await scene.pass { await waitForNeighbour(of: alice) }
        #expect(elapsed() < .seconds(30))
        try await scene.stop([alice])
        await publication.withdraw()
    }

    /// For as long as the radio has not lost it.
    @Test func `is tried again after a pause in which it was not seen`() async throws {
        var timeouts = RelayTimeouts()
        timeouts.loss = .seconds(5)
        timeouts.retry = .seconds(12)
        let alice = try await scene.member("alice", timeouts: timeouts)
        let bob = try await scene.member("bobby", advertisingInterval: .seconds(1_000))
        await bob.radio.simulateConnectionAttempts(
            .fail(RadioError(.connectionFailed, "it does not answer"))
        )
        let publication = try await publish(on: bob.radio, hasPackets: true)
        let elapsed = scene.clock.stopwatch()
        try await scene.pass {
            try await alice.node.start()
            await waitForFailures(2, of: alice)
        }
        #expect(elapsed() < .seconds(100))
        await alice.radio.simulateForgetting(bob.radio)
        try await scene.pass {
            while await alice.node.peers[bob.radio.peer] != nil { await Task.yield() }
        }
        #expect(elapsed() < .seconds(200))
        try await scene.stop([alice])
        await publication.withdraw()
    }

    /// As when Bluetooth goes off in the moment in which it is seen.
    @Test func `takes no room of others when it is forgotten before it is called`() async throws {
        var limits = RelayLimits()
        limits.connectionCount = 1
        let alice = try await scene.member("alice", limits: limits)
        let bob = try await scene.member("bobby")
        let gone = await scene.radio("gone", awayFrom: alice)
        let isConnected: Bool? = try await scene.pass {
            try await alice.node.start()
            await alice.node.seeAndForget(gone.peer)
            while await !alice.node.connecting.isEmpty { await Task.yield() }
            try await bob.node.start()
            return try await withTimeLimit(.seconds(60), on: scene.clock) {
                for await case .connected in alice.events { return true }
                return false
            }
        }
        #expect(isConnected == true)
        try await scene.stop([alice, bob])
    }

    /// bluetoothd may not report those who wait again, however long they do.
    @Test(arguments: [Duration.zero, .seconds(20)])
    func `leaves its place to who was seen meanwhile`(wait: Duration) async throws {
        var limits = RelayLimits()
        limits.connectionCount = 1
        var timeouts = RelayTimeouts()
        timeouts.loss = .seconds(5)
        let alice = try await scene.member("alice", limits: limits, timeouts: timeouts)
        let bob = try await scene.member("bobby", advertisingInterval: .seconds(1_000))
        let carol = try await scene.member("carol", advertisingInterval: .seconds(1_000))
        let publications = [
            try await publish(on: bob.radio, hasPackets: true),
            try await publish(on: carol.radio, hasPackets: true),
        ]
        let elapsed = scene.clock.stopwatch()
        let heard: [PeerID] = try await scene.pass {
            try await alice.node.start()
            var ids: [PeerID] = []
            for await case .connected(let neighbour) in alice.events {
                ids.append(neighbour.id)
                if ids.count == 2 { break }
                while await alice.node.peers.count < 2 { await Task.yield() }
                try await scene.clock.sleep(for: wait)
                let first = neighbour.id == bob.radio.peer ? bob : carol
                await scene.separate(alice, first)
            }
            return ids
        }
        #expect(Set(heard) == [bob.radio.peer, carol.radio.peer])
        #expect(elapsed() < wait + .seconds(30))
        try await scene.stop([alice])
        for publication in publications { await publication.withdraw() }
    }

    /// Who is connected may not be seen for hours.
    @Test func `is tried again when a connection is lost that has lasted for long`() async throws {
        let alice = try await scene.member("alice")
        let bob = try await scene.member("bobby", advertisingInterval: .seconds(1_000))
        let publication = try await publish(on: bob.radio, hasPackets: true)
        try await scene.pass {
            try await alice.node.start()
            await waitForNeighbour(of: alice)
            try await scene.clock.sleep(for: .seconds(100))
        }
        let elapsed = scene.clock.stopwatch()
        await scene.air.simulateDisconnection(between: alice.radio, and: bob.radio)
        try await scene.pass { await waitForNeighbour(of: alice) }
        #expect(elapsed() < .seconds(30))
        try await scene.stop([alice])
        await publication.withdraw()
    }
}

extension RelayNode {
    /// Is to connect to a device that it knows no longer when it begins.
    fileprivate func seeAndForget(_ peer: PeerID) {
        _ = remember(peer)
        connectIfNeeded(peer)
        forget(peer)
    }
}
