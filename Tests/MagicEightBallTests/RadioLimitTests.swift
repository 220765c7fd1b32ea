import BLE
import BLESession
import BLETesting
import Testing

@testable import MagicEightBall

@Suite(.timeLimit(.minutes(10)))
struct RadioLimitTests {
    @Test("An answer that the radio does not send in time has failed")
    func lateUpdate() async throws {
        let scene = try await AnsweringScene(answers: .fixed(Answer(.yes)))
        try await scene.radio.write("Well?", from: "A")
        await scene.hear("connected A")
        await scene.hear("question A Well?")
        let update = try await scene.expect(.update(Array("SLUG-ANSWER-08".utf8)))
        await scene.clock.waitForSleeper(for: AnsweringScene.timeouts.radio)
        await scene.clock.advance(by: AnsweringScene.timeouts.radio)
        await scene.hear("failed A Well? timedOut radio")
        update.succeed()
    }

    @Test("While a connection is made no ball is lost for its silence")
    func silentWhileConnecting() async throws {
        let period = AskingScene.timeouts.loss / Presence.periodCount
        let scene = try await AskingScene()
        let near = try await scene.discover("Near")
        _ = try await scene.discover("Silent")
        for _ in 0..<Presence.periodCount {
            await scene.clock.waitForSleeper(for: period)
            await scene.clock.advance(by: period)
        }
        await scene.clock.waitForSleeper(for: period)
        // The connection's own limit is longer than what is left of the period.
        let rest = AskingScene.timeouts.connection / 2
        await scene.clock.advance(by: period - rest)
        let asking = scene.ask("Well?", of: near)
        let connecting = try await scene.expect(.connect(near.id))
        await scene.clock.advance(by: rest)
        await scene.clock.waitForSleeper(for: period)
        #expect(await scene.central.devices.map(\.name) == ["Near", "Silent"])
        connecting.fail(RadioError(.peerGone, "gone"))
        asking.cancel()
    }
}
