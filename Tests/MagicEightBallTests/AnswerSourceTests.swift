import BLE
import BLETesting
import Testing

@testable import MagicEightBall

@Suite("A source of answers", .timeLimit(.minutes(10)))
struct AnswerSourceTests {
    private let tag = QuestionTag(1)

    @Test func `may take a minute`() async throws {
        let clock = ManualClock()
        var timeouts = AnsweringScene.timeouts
        timeouts.thinking = .seconds(300)
        let source = AnswerSource { question, asker in
            try await clock.sleep(for: .seconds(60))
            return try Answer("\(asker.id): \(question)")
        }
        let scene = try await AnsweringScene(answers: source, timeouts: timeouts, clock: clock)
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        await clock.waitForSleeper(for: .seconds(60))
        #expect(try await scene.reply(to: "A") == nil)
        await clock.advance(by: .seconds(60))
        try await scene.expectReady(tag)
        #expect(
            try await scene.reply(to: "A") == .outcome(tag, .answered(Array("A: Well?".utf8)))
        )
        print("handler | takes 60 s | answered")
    }

    @Test func `may refuse after a minute`() async throws {
        let clock = ManualClock()
        var timeouts = AnsweringScene.timeouts
        timeouts.thinking = .seconds(300)
        let source = AnswerSource { _, _ in
            try await clock.sleep(for: .seconds(60))
            throw RejectionReason.refused.saying("I have thought about it")
        }
        let scene = try await AnsweringScene(answers: source, timeouts: timeouts, clock: clock)
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        await clock.waitForSleeper(for: .seconds(60))
        await clock.advance(by: .seconds(60))
        try await scene.expectReady(tag)
        let reason = RejectionReason.refused.saying("I have thought about it")
        #expect(try await scene.reply(to: "A") == .outcome(tag, .rejected(reason)))
        print("handler | refuses after 60 s | \(reason)")
    }

    @Test(arguments: ["leaves", "asks more than it may", "is rejected", "finds the ball stopped"])
    func `is cancelled when its asker`(happening: String) async throws {
        let ends = Feed<String>()
        let source = AnswerSource { question, _ in
            let (nothing, _) = AsyncStream.makeStream(of: Never.self)
            for await _ in nothing {}
            ends.continuation.yield("\(question) \(Task.isCancelled)")
            throw CancellationError()
        }
        let scene = try await AnsweringScene(answers: source, waiting: 0)
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        let asker = try #require(await scene.ball.devices.first)
        switch happening {
        case "leaves": await scene.radio.say(.disconnected(asker.id))
        case "asks more than it may":
            try await scene.radio.askPrivately("And?", QuestionTag(2), from: "A")
        case "is rejected":
            async let rejected: Void = asker.rejectConnection(because: .refused)
            try await scene.expectReady(tag)
            _ = try await scene.reply(to: "A")
            await scene.settle()
            try await scene.expect(.disconnectCentral(asker.id)).succeed()
            await rejected
        default:
            async let stopped: Void = scene.ball.stop()
            try await scene.expectReady(tag)
            _ = try await scene.reply(to: "A")
            await scene.settle()
            try await scene.expect(.withdraw).succeed()
            await stopped
        }
        #expect(await ends.next() == "Well? true")
        print("handler | its asker \(happening) | cancelled")
    }

    @Test func `is not asked what nobody wants to know any more`() async throws {
        let asked = Feed<String>()
        let source = AnswerSource { question, _ in
            asked.continuation.yield(question.text)
            try await Task.sleep(for: .seconds(1000))
            return Answer(.yes)
        }
        let scene = try await AnsweringScene(answers: source)
        for number in 1...3 as ClosedRange<UInt64> {
            try await scene.radio.askPrivately("\(number)?", QuestionTag(number), from: "\(number)")
        }
        #expect(await asked.next() == "1?")
        async let stopped: Void = scene.ball.stop()
        await scene.clock.waitForSleeper(for: AnsweringScene.timeouts.closing)
        await scene.clock.advance(by: AnsweringScene.timeouts.closing)
        await scene.settle()
        for _ in 1...3 { #expect(await scene.radio.requests.next()?.kind != .withdraw) }
        try await scene.expect(.withdraw).succeed()
        await stopped
        async let started: Void = scene.ball.start()
        try await scene.expect(.publish("Ball")).succeed()
        try await started
        try await scene.radio.askPrivately("4?", QuestionTag(4), from: "4")
        #expect(await asked.next() == "4?")
    }

    @Test func `that heeds no cancellation keeps nobody waiting`() async throws {
        let (never, release) = AsyncStream.makeStream(of: Never.self)
        let source = AnswerSource { question, _ in
            guard question.text == "Stuck?" else { return Answer(.yes) }
            await Task.detached { for await _ in never {} }.value
            return Answer(.yes)
        }
        let scene = try await AnsweringScene(answers: source)
        try await scene.radio.askPrivately("Stuck?", tag, from: "A")
        try await scene.radio.askPrivately("Next?", QuestionTag(2), from: "B")
        await scene.clock.waitForSleeper(for: .seconds(60))
        await scene.clock.advance(by: .seconds(60))
        let told = [
            try #require(await scene.radio.requests.next()),
            try #require(await scene.radio.requests.next()),
        ]
        for request in told { request.succeed() }
        #expect(
            Set(told.map { "\($0.kind)" })
                == Set(
                    [Reply.ready(tag), .ready(QuestionTag(2))].map {
                        "\(ScriptedRequest.Kind.ready($0.bytes))"
                    }
                )
        )
        #expect(try await scene.reply(to: "A") == .outcome(tag, .rejected(.peripheralError)))
        release.finish()
    }

    @Test func `that has refused keeps its answers for the others`() async throws {
        let source = AnswerSource.fixed(Answer(.yes))
            .refusing { question, _ in question.text.contains("lottery") ? .refused : nil }
            .refusing { _, asker in asker.id.rawValue == "B" ? .deviceBusy : nil }
        let scene = try await AnsweringScene(answers: source)
        #expect(await scene.refusal(of: "The lottery?", tag, from: "B")?.rawValue == 0x97)
        #expect(await scene.refusal(of: "Rain?", tag, from: "B")?.rawValue == 0x90)
        #expect(await scene.refusal(of: "Rain?", tag, from: "A") == nil)
        try await scene.expectReady(tag)
    }
}
