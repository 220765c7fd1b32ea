import BLE
import BLETesting
import Testing

@testable import MeshRelay

@Suite("Nodes that are stopped", .timeLimit(.minutes(10)))
struct StoppingTests {
    private let scene = RelayScene()

    /// A bluetoothd takes seconds to end a connection, and a program that ends before leaves it behind.
    @Test func `have left their neighbours then`() async throws {
        let members = try await scene.members("alice", "bobby")
        let alice = members[0]
        try await scene.pass {
            for member in members { try await member.node.start() }
            try await alice.waitUntilConnected(to: 1)
        }
        await alice.radio.simulateDisconnecting(takes: .seconds(4))
        let elapsed = scene.clock.stopwatch()
        try await scene.pass { await alice.node.stop() }
        #expect(elapsed() >= .seconds(4))
        #expect(await alice.node.connecting.isEmpty)
        try await scene.stop(members)
    }

    /// It would be sent by nobody.
    @Test func `take no message any more, though they have yet to leave a neighbour`() async throws
    {
        let members = try await scene.members("alice", "bobby")
        let (alice, bob) = (members[0], members[1])
        try await scene.pass {
            for member in members { try await member.node.start() }
            try await alice.waitUntilConnected(to: 1)
        }
        await alice.radio.simulateDisconnecting(takes: .seconds(4))
        let stopping = Task { await alice.node.stop() }
        while await alice.node.serving?.isCancelled == false { await Task.yield() }
        await #expect {
            try await alice.node.send("too late", to: bob.node.address)
        } throws: {
            ($0 as? RelayError)?.code == .notReady
        }
        #expect(await alice.node.queuedCount == 0)
        try await scene.pass { await stopping.value }
        try await scene.stop(members)
    }
}
