import BLE
import Testing

@testable import BlueChat

@Suite("The end of a chat", .timeLimit(.minutes(2)))
struct ChatEndTests {
    /// A bluetoothd that has gone says nothing of connections.
    @Test func `is told with the reason when the own radio has gone`() async throws {
        let scene = try await ChatScene()
        let bobs = await scene.bob.events
        try await scene.start()
        _ = try await scene.call(bobs)
        let number = try #require(await scene.bob.publication?.number)
        let reason = RadioError(.noService, "bluetoothd does not run")
        await scene.bob.handle(.ended(reason), of: number)
        for await case .ended(_, let error) in bobs {
            #expect(error?.code == .ended)
            #expect((error?.underlying as? ChatError)?.code == .bluetoothAbsent)
            break
        }
        await scene.alice.stop()
        await scene.bob.stop()
    }
}
