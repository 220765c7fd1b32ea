import BLE
import BLETesting
import Testing

@testable import MagicEightBall

@Suite("A private question", .timeLimit(.minutes(10)))
struct PrivateQuestionValueTests {
    private let tag = QuestionTag(1)
    private let other = QuestionTag(2)

    /// What an asker reads that was answered.
    private func answered(_ text: String, _ tag: QuestionTag) -> Reply {
        .outcome(tag, .answered(Array(text.utf8)))
    }

    @Test func `is accepted at once, told to be ready, and read by its asker alone`() async throws {
        let scene = try await AnsweringScene(answers: .fixed(Answer(.dontCountOnIt)))
        try await scene.radio.askPrivately("Will it rain?", tag, from: "A")
        try await scene.expectReady(tag)
        await scene.hear("connected A")
        await scene.hear("question A Will it rain?")
        await scene.hear("answer A Will it rain? Don’t count on it.")
        #expect(try await scene.reply(to: "B") == nil)
        await scene.hear("connected B")
        #expect(try await scene.reply(to: "A") == answered("SLUG-ANSWER-15", tag))
        await scene.hear("delivered A Will it rain? Don’t count on it.")
        // Another program of the same host may have read it.
        #expect(try await scene.reply(to: "A") == answered("SLUG-ANSWER-15", tag))
        #expect(try await scene.radio.read(by: "A") == "SLUG-ANSWER-15")
        #expect(try await scene.radio.read(by: "B") == "")
    }

    @Test func `has nothing to read before its answer is there`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.askPrivately("Will it rain?", tag, from: "A")
        #expect(try await scene.reply(to: "A") == nil)
    }

    @Test(
        arguments: [
            ("It rains", 0x91, "questionPlease"), ("", 0x93, "malformed"),
            (String(repeating: "w", count: 480) + "?", 0x92, "tooLong"),
        ] as [(String, UInt8, String)]
    )
    func `is refused with a code of its own`(
        text: String,
        code: UInt8,
        reason: String
    ) async throws {
        let scene = try await AnsweringScene(answers: .random)
        #expect(await scene.refusal(of: text, tag, from: "A")?.rawValue == code)
        await scene.hear("connected A")
        await scene.hear("rejected A \(reason)")
    }

    @Test(
        arguments: [
            [], [0x01], [0x02, 1, 2, 3, 4, 5, 6, 7, 8, 63],
            [0x01, 1, 2, 3, 4, 5, 6, 7, 8, 0xFF, 63],
        ] as [[UInt8]]
    )
    func `that is not whole is malformed`(bytes: [UInt8]) async throws {
        let scene = try await AnsweringScene(answers: .random)
        #expect(await scene.refusal(ofPrivateQuestion: bytes, from: "A")?.rawValue == 0x93)
    }

    @Test func `of 480 bytes is answered with 480, read in parts from one snapshot`() async throws {
        let long = String(repeating: "w", count: 479)
        let scene = try await AnsweringScene(
            answers: AnswerSource { question, _ in
                try Answer(question.text == "Short?" ? "Short." : long + "!")
            }
        )
        try await scene.radio.askPrivately(long + "?", tag, from: "A", mtuBytes: 23)
        try await scene.expectReady(tag)
        await scene.hear("connected A")
        await scene.hear("question A \(long)?")
        await scene.hear("answer A \(long)? \(long)!")
        let whole = answered(long + "!", tag).bytes
        let first = try await scene.radio.readReply(by: "A", offset: 0, mtuBytes: 23)
        #expect(first == whole)
        // Another question comes in between; what was begun is read to its end.
        try await scene.radio.askPrivately("Short?", other, from: "A")
        try await scene.expectReady(other)
        await scene.hear("question A Short?")
        await scene.hear("answer A Short? Short.")
        let rest = try await scene.radio.readReply(by: "A", offset: 22, mtuBytes: 517)
        #expect(rest == Array(whole.dropFirst(22)))
        await scene.hear("delivered A \(long)? \(long)!")
        try await scene.expectReady(other)
        #expect(try await scene.reply(to: "A", mtuBytes: 23) == answered("Short.", other))
        await scene.hear("delivered A Short? Short.")
    }

    @Test func `is read once its last part is, not before`() async throws {
        let long = String(repeating: "w", count: 100)
        let scene = try await AnsweringScene(answers: .fixed(try Answer(long)))
        try await scene.radio.askPrivately("Well?", tag, from: "A", mtuBytes: 23)
        try await scene.expectReady(tag)
        _ = try await scene.radio.readReply(by: "A", offset: 0, mtuBytes: 23)
        // The first read was broken off; the next one begins anew.
        await scene.hear("connected A")
        await scene.hear("question A Well?")
        await scene.hear("answer A Well? \(long)")
        #expect(try await scene.reply(to: "A", mtuBytes: 23) == answered(long, tag))
        await scene.hear("delivered A Well? \(long)")
    }

    @Test func `that is not read in time has no reply any more`() async throws {
        let scene = try await AnsweringScene(answers: .fixed(Answer(.yes)))
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        try await scene.expectReady(tag)
        await scene.hear("connected A")
        await scene.hear("question A Well?")
        await scene.hear("answer A Well? Yes.")
        await scene.clock.waitForSleeper(for: .seconds(50))
        await scene.clock.advance(by: .seconds(50))
        await scene.hear("failed A Well? timedOut answering")
        #expect(try await scene.reply(to: "A") == nil)
    }

    @Test func `takes the place of the asker's earlier one where there is but one`() async throws {
        let scene = try await AnsweringScene(answers: .manual, waiting: 0)
        try await scene.radio.askPrivately("First?", tag, from: "A")
        try await scene.radio.askPrivately("Second?", other, from: "A")
        try await scene.expectReady(tag)
        let asker = try #require(await scene.ball.devices.first)
        await #expect(throws: EightBallError.self) {
            try await asker.sendAnswer(Answer(.yes), to: Question("First?"))
        }
        async let sent: Void = asker.sendAnswer(Answer(.yes), to: Question("Second?"))
        try await scene.expectReady(other)
        try await sent
        #expect(try await scene.reply(to: "A") == answered("SLUG-ANSWER-08", other))
        try await scene.expectReady(tag)
        #expect(try await scene.reply(to: "A") == .outcome(tag, .rejected(.deviceBusy)))
        for line in [
            "connected A", "question A First?", "failed A First? cancelled", "question A Second?",
            "answer A Second? Yes.", "delivered A Second? Yes.",
        ] {
            await scene.hear(line)
        }
    }

    @Test func `may be read before the radio says that it was told`() async throws {
        let scene = try await AnsweringScene(answers: .fixed(Answer(.yes)))
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        let told = try await scene.expect(.ready(Reply.ready(tag).bytes))
        #expect(try await scene.reply(to: "A") == answered("SLUG-ANSWER-08", tag))
        told.succeed()
        for line in [
            "connected A", "question A Well?", "answer A Well? Yes.", "delivered A Well? Yes.",
        ] {
            await scene.hear(line)
        }
    }

    @Test func `of an asker that has gone leaves nothing to read`() async throws {
        let scene = try await AnsweringScene(answers: .fixed(Answer(.yes)))
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        try await scene.expectReady(tag)
        await scene.hear("connected A")
        await scene.hear("question A Well?")
        await scene.hear("answer A Well? Yes.")
        await scene.radio.say(.disconnected(PeerID(rawValue: "A")))
        await scene.hear("failed A Well? deviceOffline")
        await scene.hear("disconnected A")
        #expect(try await scene.reply(to: "A") == nil)
    }

    @Test func `and a plain question are answered each its own way`() async throws {
        let scene = try await AnsweringScene(
            answers: AnswerSource { question, _ in try Answer("to " + question.text) }
        )
        try await scene.radio.askPrivately("Mine?", tag, from: "A")
        try await scene.radio.write("All?", from: "B")
        try await scene.radio.askPrivately("Yours?", other, from: "C")
        try await scene.expectReady(tag)
        try await scene.expectAnswer("to All?")
        try await scene.expectReady(other)
        #expect(try await scene.reply(to: "C") == answered("to Yours?", other))
        #expect(try await scene.reply(to: "A") == answered("to Mine?", tag))
        #expect(try await scene.reply(to: "B") == nil)
        #expect(try await scene.radio.read(by: "B") == "to All?")
    }

    @Test func `that the radio cannot tell of leaves the ball free`() async throws {
        let scene = try await AnsweringScene(answers: .fixed(Answer(.yes)))
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        try await scene.expect(.ready(Reply.ready(tag).bytes))
            .fail(RadioError(.failed, "no"))
        await scene.hear("connected A")
        await scene.hear("question A Well?")
        await scene.hear("failed A Well? failed")
        #expect(try await scene.reply(to: "A") == nil)
        try await scene.radio.askPrivately("Again?", other, from: "A")
        try await scene.expectReady(other)
    }
}
