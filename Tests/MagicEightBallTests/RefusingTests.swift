import BLE
import BLETesting
import Testing

@testable import MagicEightBall

/// Each reason, from the ball to the asker: on either pair, at once and afterwards.
@Suite("Refusing", .timeLimit(.minutes(10)))
struct RefusingTests {
    private static let reasons: [(RejectionReason, plain: UInt8, privateQuestion: UInt8)] = [
        (.deviceBusy, 0x90, 0x90), (.questionPlease, 0x0E, 0x91), (.tooLong, 0x92, 0x92),
        (.malformed, 0x93, 0x93), (.deviceOffline, 0x94, 0x94), (.peripheralError, 0x95, 0x95),
        (.tooManyQuestions, 0x96, 0x96), (.refused, 0x97, 0x97), (.unknown(0x9F), 0x9F, 0x9F),
        // As an error only an application's own code travels; in a reply any does.
        (.unknown(0x07), 0x97, 0x97),
    ]
    private let tag = QuestionTag(1)

    private func row(_ reason: RejectionReason, _ way: String, _ code: UInt8?) {
        let code = code.map { "\(ATTError(rawValue: $0))" } ?? "nothing more"
        print("refused | \(reason.name) | \(way) | \(code)")
    }

    @Test(arguments: reasons)
    func `before a question is accepted`(
        reason: RejectionReason,
        plain: UInt8,
        privateQuestion: UInt8
    ) async throws {
        let source = AnswerSource.random.refusing { question, asker in
            question.text == "Well?" && asker.id.rawValue == "A" ? reason : nil
        }
        let scene = try await AnsweringScene(answers: source)
        let early = try await scene.refusal(of: "Well?", from: "A")
        #expect(early?.rawValue == plain)
        row(reason, "plain, at once", early?.rawValue)
        let own = await scene.refusal(of: "Well?", tag, from: "A")
        #expect(own?.rawValue == privateQuestion)
        row(reason, "private, at once", own?.rawValue)
        for line in ["connected A", "rejected A \(reason.name)", "rejected A \(reason.name)"] {
            await scene.hear(line)
        }
        #expect(await scene.refusal(of: "Well?", tag, from: "B") == nil)
    }

    @Test(arguments: reasons.map(\.0))
    func `after it was accepted, with words`(reason: RejectionReason) async throws {
        let said = reason.saying("not today")
        let scene = try await AnsweringScene(answers: AnswerSource { _, _ in throw said })
        try await scene.radio.askPrivately("Mine?", tag, from: "A")
        try await scene.expectReady(tag)
        let bytes: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0, 1, reason.code] + Array("not today".utf8)
        #expect(try await scene.radio.readReply(by: "A") == bytes)
        row(reason, "private, afterwards", bytes[9])
        await scene.hear("connected A")
        await scene.hear("question A Mine?")
        await scene.hear("failed A Mine? rejected \(reason.name)")
        // An original asker cannot be told; the next update is the answer to another question.
        try await scene.radio.write("All?", from: "B")
        await scene.hear("connected B")
        await scene.hear("question B All?")
        await scene.hear("failed B All? rejected \(reason.name)")
        row(reason, "plain, afterwards", nil)
        try await scene.radio.askPrivately("Yours?", QuestionTag(2), from: "B")
        try await scene.expectReady(QuestionTag(2))
    }

    @Test func `cuts words that are too long, and says nothing of what failed`() async throws {
        struct Secret: Error {}
        let words = String(repeating: "ä", count: 300)
        let scene = try await AnsweringScene(
            answers: AnswerSource { question, _ in
                guard question.text == "Words?" else { throw Secret() }
                throw RejectionReason.refused.saying(words)
            }
        )
        try await scene.radio.askPrivately("Words?", tag, from: "A")
        try await scene.expectReady(tag)
        let cut = String(repeating: "ä", count: 238) + "…"
        #expect(
            try await scene.reply(to: "A")
                == .outcome(tag, .rejected(.refused.saying(cut)))
        )
        try await scene.radio.askPrivately("Secret?", tag, from: "A")
        try await scene.expectReady(tag)
        #expect(try await scene.reply(to: "A") == .outcome(tag, .rejected(.peripheralError)))
    }

    @Test func `by hand reaches the asker`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        let asker = try #require(await scene.ball.devices.first)
        try await asker.refuse(Question("Well?"), because: .refused.saying("ask my wife"))
        try await scene.expectReady(tag)
        #expect(
            try await scene.reply(to: "A")
                == .outcome(tag, .rejected(.refused.saying("ask my wife")))
        )
        await #expect(throws: EightBallError.self) {
            try await asker.refuse(Question("Well?"), because: .refused)
        }
    }

    @Test func `an asker ends what it has asked already`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        for (index, name) in ["A", "B"].enumerated() {
            try await scene.radio.askPrivately("\(name)?", QuestionTag(UInt64(index)), from: name)
        }
        try await scene.radio.write("All?", from: "B")
        let asker = try #require(await scene.ball.devices.last)
        async let rejected: Void = asker.rejectConnection(because: .tooManyQuestions)
        try await scene.expectReady(tag)
        #expect(await scene.refusal(of: "Again?", tag, from: "B")?.rawValue == 0x96)
        #expect(try await scene.refusal(of: "Again?", from: "B")?.rawValue == 0x96)
        #expect(await scene.refusal(of: "And I?", tag, from: "A") == nil)
        // Its link is ended once it knows why.
        #expect(try await scene.reply(to: "B") == .outcome(tag, .rejected(.tooManyQuestions)))
        await scene.settle()
        try await scene.expect(.disconnectCentral(asker.id)).succeed()
        await rejected
        await scene.radio.say(.disconnected(asker.id))
        #expect(await scene.refusal(of: "And now?", tag, from: "B") == nil)
    }

    @Test func `an asker that does not read why ends its link all the same`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        let asker = try #require(await scene.ball.devices.first)
        async let rejected: Void = asker.rejectConnection(because: .refused)
        try await scene.expectReady(tag)
        await scene.clock.waitForSleeper(for: AnsweringScene.timeouts.closing)
        await scene.clock.advance(by: AnsweringScene.timeouts.closing)
        await scene.settle()
        try await scene.expect(.disconnectCentral(asker.id)).fail(RadioError(.failed, "no"))
        await rejected
        for line in [
            "connected A", "question A Well?", "failed A Well? rejected refused", "failed failed",
        ] {
            await scene.hear(line)
        }
        #expect(await scene.ball.error?.code == .failed)
    }

    @Test func `an original asker ends its link at once`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.write("Well?", from: "A")
        let asker = try #require(await scene.ball.devices.first)
        async let rejected: Void = asker.rejectConnection(because: .refused)
        try await scene.expect(.disconnectCentral(asker.id)).succeed()
        await rejected
    }

    @Test func `while the ball is closing`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        async let stopped: Void = scene.ball.stop()
        try await scene.expectReady(tag)
        #expect(try await scene.reply(to: "A") == .outcome(tag, .rejected(.deviceOffline)))
        await scene.settle()
        try await scene.expect(.withdraw).succeed()
        await stopped
        #expect(await scene.refusal(of: "Well?", tag, from: "A")?.rawValue == 0x94)
        #expect(try await scene.refusal(of: "Well?", from: "A")?.rawValue == 0x94)
        for line in [
            "connected A", "question A Well?", "failed A Well? stopped", "disconnected A",
            "not advertising",
        ] {
            await scene.hear(line)
        }
    }
}
