import BLE
import BLETesting
import Testing

@testable import MagicEightBall

/// A radio without power may keep a service until it has power again; nobody can be asked meanwhile.
@Suite("A ball whose radio goes off", .timeLimit(.minutes(10)))
struct RadioOffTests {
    @Test func `says that it cannot be asked, and why, and that it can be again`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.askPrivately("Well?", QuestionTag(1), from: "A")
        await scene.radio.become(.off)
        for line in [
            "connected A", "question A Well?", "radio off", "failed A Well? radioOff",
            "disconnected A", "not advertising: radioOff", "failed radioOff",
        ] {
            await scene.hear(line)
        }
        #expect(await !scene.ball.isAdvertising)
        #expect(await scene.ball.error?.code == .radioOff)
        #expect(await scene.ball.devices.isEmpty)
        await scene.radio.become(.on)
        await scene.hear("radio on")
        await scene.hear("advertising")
        #expect(await scene.ball.isAdvertising)
        #expect(await scene.refusal(of: "Again?", QuestionTag(2), from: "A") == nil)
    }

    @Test func `says so once, also when the service ends then`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        await scene.radio.become(.off)
        for line in ["radio off", "not advertising: radioOff", "failed radioOff"] {
            await scene.hear(line)
        }
        await scene.radio.say(.ended(RadioError(.off, "hci1 has no power")))
        await scene.clock.waitForSleeper(for: AnsweringScene.timeouts.retry)
        await scene.clock.advance(by: AnsweringScene.timeouts.retry)
        await scene.radio.become(.on)
        try await scene.expect(.publish("Ball")).succeed()
        await scene.hear("radio on")
        await scene.hear("advertising")
    }

    @Test func `has an error when its service ends`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        await scene.radio.say(.ended(RadioError(.noService, "bluetoothd has gone")))
        await scene.hear("not advertising: noService")
        #expect(await scene.ball.error?.code == .noService)
        #expect(await !scene.ball.isAdvertising)
        await scene.hear("failed noService")
    }

    @Test func `is taken back when it is stopped meanwhile`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        await scene.radio.become(.off)
        for line in ["radio off", "not advertising: radioOff", "failed radioOff"] {
            await scene.hear(line)
        }
        async let stopped: Void = scene.ball.stop()
        try await scene.expect(.withdraw).succeed()
        await stopped
        async let started: Void = scene.ball.start()
        try await scene.expect(.publish("Ball")).succeed()
        try await started
        await scene.hear("advertising")
    }
}
