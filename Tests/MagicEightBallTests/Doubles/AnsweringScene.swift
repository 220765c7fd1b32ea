import BLE
import BLETesting
import Logging
import Testing

@testable import MagicEightBall

/// A started ball on a scripted radio and a manual clock, with a recorder.
struct AnsweringScene {
    /// Each one different, so that a test can tell who sleeps.
    static let timeouts: Timeouts = {
        var timeouts = AskingScene.timeouts
        timeouts.reply = .seconds(50)
        timeouts.closing = .seconds(45)
        return timeouts
    }()

    let radio = ScriptedPeripheralRadio()
    let clock: ManualClock
    let recorder = PeripheralRecorder()
    let ball: EightBallPeripheral

    init(
        answers: AnswerSource,
        waiting: Int = 16,
        atOnce: Int = 1,
        limit: QuestionLimit? = nil,
        servesFirstSeries: Bool = false,
        timeouts: Timeouts = Self.timeouts,
        clock: ManualClock = ManualClock()
    ) async throws {
        self.clock = clock
        ball = EightBallPeripheral(
            radio: radio,
            name: "Ball",
            answers: answers,
            waiting: waiting,
            atOnce: atOnce,
            limit: limit,
            servesFirstSeries: servesFirstSeries,
            timeouts: timeouts,
            clock: clock,
            logger: .silent
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

    /// Confirms that a private question's reply is told to be ready.
    func expectReady(_ tag: QuestionTag) async throws {
        try await expect(.ready(Reply.ready(tag).bytes)).succeed()
    }

    /// What an asker reads of its reply; `nil` for nothing.
    func reply(to central: String, mtuBytes: Int = 517) async throws -> Reply? {
        let bytes = try await radio.readReply(by: central, mtuBytes: mtuBytes)
        guard !bytes.isEmpty else { return nil }
        let reply = Reply(received: bytes)
        #expect(reply != nil, "\(bytes)")
        return reply
    }

    /// What a private question is refused with; `nil` for an accepted one.
    func refusal(of text: String, _ tag: QuestionTag, from central: String) async -> ATTError? {
        await refusal(
            ofPrivateQuestion: PrivateQuestion(tag: tag, question: Array(text.utf8)).bytes,
            from: central
        )
    }

    func refusal(ofPrivateQuestion value: [UInt8], from central: String) async -> ATTError? {
        do {
            try await radio.askPrivately(value, from: central)
            return nil
        } catch {
            return error as? ATTError
        }
    }

    /// Lets the time pass in which other askers are refused after an answer.
    func settle() async {
        await clock.waitForSleeper(for: .seconds(4))
        await clock.advance(by: .seconds(4))
        await ball.settling?.task?.value
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
