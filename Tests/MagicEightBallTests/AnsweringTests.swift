import BLE
import BLETesting
import MagicEightBall
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AnsweringTests {
    @Test("A question is accepted at once, and answered with a slug")
    func happy() async throws {
        let scene = try await AnsweringScene(answers: .fixed(Answer(.dontCountOnIt)))
        try await scene.radio.write("Will it rain?", from: "A")
        await scene.hear("connected A")
        await scene.hear("question A Will it rain?")
        try await scene.expectAnswer("SLUG-ANSWER-15")
        await scene.hear("answer A Will it rain? Don’t count on it.")
        let asker = try #require(await scene.ball.devices.first)
        #expect(await asker.question?.text == "Will it rain?")
        #expect(await asker.answer?.stock == .dontCountOnIt)
        #expect(await asker.error == nil)
    }

    @Test(
        "What is no question is refused at once",
        arguments: [
            ("It rains", 0x0E, "questionPlease"), ("It rains? ", 0x0E, "questionPlease"),
            ("It rains\u{FF1F}", 0x0E, "questionPlease"),
            ("Rain?\u{301}", 0x0E, "questionPlease"), ("", 0x93, "malformed"),
            (String(repeating: "w", count: 480) + "?", 0x92, "tooLong"),
        ] as [(String, UInt8, String)]
    )
    func refused(text: String, code: UInt8, reason: String) async throws {
        let scene = try await AnsweringScene(answers: .random)
        #expect(try await scene.refusal(of: text, from: "A")?.rawValue == code)
        await scene.hear("connected A")
        await scene.hear("rejected A \(reason)")
    }

    @Test("Bytes that are no text are refused")
    func invalidText() async throws {
        let scene = try await AnsweringScene(answers: .random)
        #expect(await scene.refusal(of: [0xFF, 0x3F], from: "A")?.rawValue == 0x93)
    }

    @Test("The question cannot be read, nor the answer written")
    func wrongWay() async throws {
        let scene = try await AnsweringScene(answers: .random)
        #expect(await scene.radio.swap(by: "A") == [.readNotPermitted, .writeNotPermitted])
    }

    @Test("While one question is answered, others are refused as busy")
    func busy() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.write("First?", from: "A")
        #expect(try await scene.refusal(of: "Second?", from: "B")?.rawValue == 0x90)
        #expect(try await scene.refusal(of: "Third?", from: "A")?.rawValue == 0x90)
        let asker = try #require(await scene.ball.devices.first)
        async let sent: Void = asker.sendAnswer(Answer(.yes), to: Question("First?"))
        try await scene.expectAnswer("SLUG-ANSWER-08")
        try await sent
        for line in [
            "connected A", "question A First?", "connected B", "rejected B deviceBusy",
            "rejected A deviceBusy", "answer A First? Yes.",
        ] {
            await scene.hear(line)
        }
    }

    @Test("Until an answer has reached everybody only its asker may ask")
    func settling() async throws {
        let scene = try await AnsweringScene(answers: .fixed(Answer(.yes)))
        await scene.radio.say(.connected(PeerID(rawValue: "A")))
        await scene.hear("connected A")
        for question in ["First?", "Second?"] {
            try await scene.radio.write(question, from: "A")
            await scene.hear("question A \(question)")
            try await scene.expectAnswer("SLUG-ANSWER-08")
            await scene.hear("answer A \(question) Yes.")
        }
        #expect(try await scene.refusal(of: "Third?", from: "B")?.rawValue == 0x90)
        await scene.settle()
        #expect(try await scene.refusal(of: "Third?", from: "B") == nil)
    }

    @Test("An answer whose asker went while it was told is nobody else's")
    func goesWhileTold() async throws {
        let scene = try await AnsweringScene(answers: .fixed(Answer(.yes)))
        try await scene.radio.write("First?", from: "A")
        let told = try await scene.expect(.update(Array("SLUG-ANSWER-08".utf8)))
        await scene.radio.say(.disconnected(PeerID(rawValue: "A")))
        #expect(try await scene.refusal(of: "Second?", from: "B")?.rawValue == 0x90)
        told.succeed()
        await scene.settle()
        #expect(try await scene.refusal(of: "Second?", from: "B") == nil)
    }

    @Test("Each asker reads its own last answer, whole")
    func read() async throws {
        let long = String(repeating: "long ", count: 10)
        let scene = try await AnsweringScene(
            answers: AnswerSource { question, _ in
                try Answer(question.text == "A?" ? long : "Short.")
            }
        )
        #expect(try await scene.radio.read(by: "A") == "")
        try await scene.radio.write("A?", from: "A", mtuBytes: 23)
        try await scene.expectAnswer("long long long …")
        await scene.hear("connected A")
        await scene.hear("question A A?")
        await scene.hear("answer A A? \(long)")
        await scene.settle()
        try await scene.radio.write("B?", from: "B", mtuBytes: 23)
        try await scene.expectAnswer("Short.")
        #expect(try await scene.radio.read(by: "A") == long)
        #expect(try await scene.radio.read(by: "B") == "Short.")
    }

    @Test("A read in parts is served from one answer")
    func snapshot() async throws {
        let scene = try await AnsweringScene(
            answers: AnswerSource { question, _ in try Answer("to " + question.text) }
        )
        try await scene.radio.write("First?", from: "A")
        try await scene.expectAnswer("to First?")
        #expect(try await scene.radio.read(by: "A") == "to First?")
        await scene.hear("connected A")
        await scene.hear("question A First?")
        await scene.hear("answer A First? to First?")
        try await scene.radio.write("Second?", from: "A")
        try await scene.expectAnswer("to Second?")
        #expect(try await scene.radio.read(by: "A", offset: 3) == "First?")
        #expect(try await scene.radio.read(by: "A") == "to Second?")
    }

    @Test("A source that fails leaves the asker without an answer, and the ball free")
    func sourceFails() async throws {
        struct Silence: Error {}
        let scene = try await AnsweringScene(answers: AnswerSource { _, _ in throw Silence() })
        try await scene.radio.write("Well?", from: "A")
        await scene.hear("connected A")
        await scene.hear("question A Well?")
        await scene.hear("failed A Well? failed")
        #expect(try await scene.refusal(of: "Again?", from: "A") == nil)
    }

    @Test("Nobody thinks longer than allowed")
    func thinkingTimeout() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.write("Well?", from: "A")
        await scene.clock.waitForSleeper(for: .seconds(60))
        await scene.clock.advance(by: .seconds(60))
        await scene.hear("connected A")
        await scene.hear("question A Well?")
        await scene.hear("failed A Well? timedOut answering")
        let asker = try #require(await scene.ball.devices.first)
        let error = await #expect(throws: EightBallError.self) {
            try await asker.sendAnswer(Answer(.yes), to: Question("Well?"))
        }
        #expect(error?.code == .deviceOffline)
    }

    @Test("Sending an answer ends with its task")
    func sendingCancelled() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.write("Well?", from: "A")
        await scene.hear("connected A")
        await scene.hear("question A Well?")
        let asker = try #require(await scene.ball.devices.first)
        let sending = Task { try await asker.sendAnswer(Answer(.yes), to: Question("Well?")) }
        _ = try await scene.expect(.update(Array("SLUG-ANSWER-08".utf8)))
        sending.cancel()
        await #expect(throws: CancellationError.self) { try await sending.value }
        await scene.hear("failed A Well? cancelled")
    }

    @Test("An asker that goes takes its question along")
    func askerGoes() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        await scene.radio.say(.connected(PeerID(rawValue: "A")))
        try await scene.radio.write("Well?", from: "A")
        await scene.radio.say(.disconnected(PeerID(rawValue: "A")))
        await scene.radio.say(.disconnected(PeerID(rawValue: "A")))
        for line in [
            "connected A", "question A Well?", "failed A Well? deviceOffline", "disconnected A",
        ] {
            await scene.hear(line)
        }
        #expect(await scene.ball.devices.isEmpty)
        #expect(try await scene.refusal(of: "Well?", from: "B") == nil)
    }

    @Test(
        "A rejected asker is refused with the reason, until it has gone",
        arguments: [
            (.refused, 0x97), (.deviceBusy, 0x90), (.unknown(0x9F), 0x9F), (.unknown(7), 0x97),
        ] as [(RejectionReason, UInt8)]
    )
    func rejectConnection(reason: RejectionReason, code: UInt8) async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.write("Well?", from: "A")
        let asker = try #require(await scene.ball.devices.first)
        async let rejected: Void = asker.rejectConnection(because: reason)
        let ending = try await scene.expect(.disconnectCentral(asker.id))
        #expect(await asker.error?.code == .rejected(reason))
        #expect(try await scene.refusal(of: "Well?", from: "A")?.rawValue == code)
        #expect(try await scene.refusal(of: "Well?", from: "B") == nil)
        ending.succeed()
        await rejected
    }

    @Test("A radio that cannot send is told")
    func updateFails() async throws {
        let scene = try await AnsweringScene(answers: .fixed(Answer(.yes)))
        try await scene.radio.write("Well?", from: "A")
        try await scene.expect(.update(Array("SLUG-ANSWER-08".utf8)))
            .fail(RadioError(.withdrawn, "the publication ended"))
        await scene.hear("connected A")
        await scene.hear("question A Well?")
        await scene.hear("failed A Well? stopped")
    }
}
