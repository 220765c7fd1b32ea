import BLE
import BLETesting
import Testing

@testable import MeshRelay

@Suite("Nodes that are stopped", .timeLimit(.minutes(3)))
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
}
