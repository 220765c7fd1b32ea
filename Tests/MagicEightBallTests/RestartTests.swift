import BLE
import MagicEightBall
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RestartTests {
    @Test("A ball that is discovered again after a stop is listed once")
    func devices() async throws {
        let scene = try await AskingScene()
        _ = try await scene.discover()
        await scene.central.stop()
        #expect(await scene.central.devices.isEmpty)
        try await scene.central.start()
        _ = try await scene.discover()
        #expect(await scene.central.devices.map(\.name) == ["Ball"])
    }
}
