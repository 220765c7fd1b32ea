import BLE
import BLETesting
import Testing

@testable import BlueChat

@Suite("A call", .timeLimit(.minutes(10)))
struct CallTests {
    /// Ending the first takes as long as a bluetoothd needs for it, and the second is slow.
    @Test func `has time for a second connection when the first carries nothing`() async throws {
        let scene = try await ChatScene()
        try await scene.start()
        _ = try await scene.alice.find(named: "Bob")
        await scene.aliceRadio.simulateDisconnecting(takes: .zero, endingAfter: .seconds(4))
        await scene.bobRadio.simulateReplies(false)
        let call = Task { try await scene.alice.call(scene.bobRadio.peer) }
        await scene.clock.pass(scene.alice.timeouts.connection * 2 / 5)
        await scene.bobRadio.simulateReplies(true)
        var conditions = LinkConditions()
        conditions.latency = .milliseconds(700)...Duration.milliseconds(700)
        await scene.air.simulateConditions(conditions, from: scene.aliceRadio, to: scene.bobRadio)
        try await scene.clock.run {
            let chat = try await call.value
            #expect(chat.peer == scene.bobRadio.peer)
            await scene.alice.stop()
            await scene.bob.stop()
        }
    }
}
