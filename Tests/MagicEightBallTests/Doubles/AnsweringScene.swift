import BLE
import Testing

@testable import MagicEightBall

/// A started ball on a scripted radio and a manual clock, with a recorder.
struct AnsweringScene {
    let radio = ScriptedPeripheralRadio()
    let clock = ManualClock()
    let recorder = PeripheralRecorder()
    let ball: EightBallPeripheral

    init(answers: AnswerSource) async throws {
        ball = EightBallPeripheral(
            radio: radio,
            name: "Ball",
            answers: answers,
            timeouts: AskingScene.timeouts,
            clock: clock
        )
        await ball.addObserver(recorder)
        async let started: Void = ball.start()
        try await expect(.publish("Ball")).succeed()
        try await started
        await hear("advertising")
    }

    /// Takes the next request and compares it.
    func expect(
        _ kind: ScriptedRequest.Kind,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ScriptedRequest {
        let request = try #require(await radio.requests.next(), sourceLocation: sourceLocation)
        #expect(request.kind == kind, sourceLocation: sourceLocation)
        return request
    }

    func expectAnswer(_ text: String) async throws {
        try await expect(.update(Array(text.utf8))).succeed()
    }

    /// Lets the time pass in which other askers are refused after an answer.
    func settle() async {
        await clock.sleeper(for: .seconds(4))
        await clock.advance(by: .seconds(4))
        await ball.settling?.value
    }

    func hear(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        #expect(await recorder.next() == line, sourceLocation: sourceLocation)
    }

    /// What a write is refused with; `nil` for an accepted one.
    func refusal(of text: String, from central: String) async throws -> ATTError? {
        await refusal(of: Array(text.utf8), from: central)
    }

    func refusal(of value: [UInt8], from central: String) async -> ATTError? {
        do {
            try await radio.write(value, from: central)
            return nil
        } catch {
            return error as? ATTError
        }
    }
}
