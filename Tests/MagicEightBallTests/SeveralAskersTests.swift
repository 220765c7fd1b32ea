import BLE
import BLETesting
import Testing

@testable import MagicEightBall

@Suite("Several askers", .timeLimit(.minutes(10)))
struct SeveralAskersTests {
    /// A source whose questions a test answers one by one.
    private final class Oracle: Sendable {
        let asked = Feed<Question>()
        private let answers = Feed<Answer>()

        var source: AnswerSource {
            AnswerSource { question, _ in
                self.asked.continuation.yield(question)
                guard let answer = await self.answers.next() else { throw CancellationError() }
                return answer
            }
        }

        func say(_ text: String) throws { answers.continuation.yield(try Answer(text)) }
    }

    private func tag(_ number: Int) -> QuestionTag { QuestionTag(UInt64(number)) }

    @Test func `are served in the order in which they came, and told their place`() async throws {
        let oracle = Oracle()
        let scene = try await AnsweringScene(answers: oracle.source)
        for (index, name) in ["A", "B", "C"].enumerated() {
            try await scene.radio.askPrivately("\(name)?", tag(index), from: name)
        }
        for line in [
            "connected A", "question A A?", "connected B", "question B B?", "queued B B? 1",
            "connected C", "question C C?", "queued C C? 2",
        ] {
            await scene.hear(line)
        }
        for (index, name) in ["A", "B", "C"].enumerated() {
            #expect(await oracle.asked.next()?.text == "\(name)?")
            try oracle.say("to \(name)")
            try await scene.expectReady(tag(index))
            await scene.hear("answer \(name) \(name)? to \(name)")
            let outcome = Reply.outcome(tag(index), .answered(Array("to \(name)".utf8)))
            #expect(try await scene.reply(to: name) == outcome)
            await scene.hear("delivered \(name) \(name)? to \(name)")
        }
    }

    @Test func `beyond the places are refused as busy, until one is free`() async throws {
        let scene = try await AnsweringScene(answers: .manual, waiting: 2)
        for (index, name) in ["A", "B", "C"].enumerated() {
            #expect(await scene.refusal(of: "\(name)?", tag(index), from: name) == nil)
        }
        #expect(await scene.refusal(of: "D?", tag(4), from: "D")?.rawValue == 0x90)
        #expect(try await scene.refusal(of: "E?", from: "E")?.rawValue == 0x90)
        // Who waits already may change the question.
        #expect(await scene.refusal(of: "C again?", tag(5), from: "C") == nil)
        await scene.radio.say(.disconnected(PeerID(rawValue: "B")))
        #expect(await scene.refusal(of: "D?", tag(4), from: "D") == nil)
        #expect(await scene.refusal(of: "E?", tag(6), from: "E")?.rawValue == 0x90)
    }

    @Test func `are not kept waiting by one that asks on and on`() async throws {
        let scene = try await AnsweringScene(answers: .manual, waiting: 2)
        try await scene.radio.askPrivately("Mine?", tag(0), from: "A")
        await scene.hear("connected A")
        await scene.hear("question A Mine?")
        try await scene.radio.askPrivately("Me?", tag(1), from: "B")
        await scene.hear("connected B")
        await scene.hear("question B Me?")
        await scene.hear("queued B Me? 1")
        for number in 2...9 {
            try await scene.radio.askPrivately("Me \(number)?", tag(number), from: "B")
            await scene.hear(
                number == 2
                    ? "failed B Me? cancelled" : "failed B Me \(number - 1)? cancelled"
            )
            await scene.hear("question B Me \(number)?")
            await scene.hear("queued B Me \(number)? 1")
        }
        #expect(await scene.refusal(of: "Well?", tag(10), from: "C") == nil)
        await scene.hear("connected C")
        await scene.hear("question C Well?")
        await scene.hear("queued C Well? 2")
    }

    @Test func `are thought about at once, as many as allowed`() async throws {
        let oracle = Oracle()
        let scene = try await AnsweringScene(answers: oracle.source, atOnce: 2)
        for (index, name) in ["A", "B", "C"].enumerated() {
            try await scene.radio.askPrivately("\(name)?", tag(index), from: name)
        }
        let first = [await oracle.asked.next()?.text, await oracle.asked.next()?.text]
        #expect(Set(first) == ["A?", "B?"])
        await scene.radio.say(.disconnected(PeerID(rawValue: "B")))
        #expect(await oracle.asked.next()?.text == "C?")
    }

    @Test func `can be answered by hand in any order`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        for (index, name) in ["A", "B"].enumerated() {
            try await scene.radio.askPrivately("\(name)?", tag(index), from: name)
        }
        let askers = await scene.ball.devices
        for index in [1, 0] {
            let question = try Question(["A?", "B?"][index])
            async let sent: Void = askers[index].sendAnswer(Answer(.yes), to: question)
            try await scene.expectReady(tag(index))
            try await sent
        }
        #expect(try await scene.reply(to: "A") != nil)
        #expect(try await scene.reply(to: "B") != nil)
    }

    @Test func `have each its own limit, also when it goes and comes`() async throws {
        let limit = QuestionLimit(count: 2, per: .seconds(30))
        let scene = try await AnsweringScene(answers: .manual, limit: limit)
        #expect(await scene.refusal(of: "1?", tag(1), from: "A") == nil)
        #expect(await scene.refusal(of: "2?", tag(2), from: "A") == nil)
        #expect(await scene.refusal(of: "3?", tag(3), from: "A")?.rawValue == 0x96)
        await scene.radio.say(.disconnected(PeerID(rawValue: "A")))
        #expect(try await scene.refusal(of: "4?", from: "A")?.rawValue == 0x96)
        #expect(await scene.refusal(of: "5?", tag(5), from: "B") == nil)
        await scene.clock.waitForSleeper(for: .seconds(30))
        let forgetting = await scene.ball.forgetting
        await scene.clock.advance(by: .seconds(30))
        for deadline in forgetting.values { await deadline.task?.value }
        #expect(await scene.refusal(of: "6?", tag(6), from: "A") == nil)
    }

    @Test func `say who they are, as far as it is known`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        let name = "00:AA:01:01:00:01"
        await scene.radio.say(.connected(PeerID(rawValue: name)))
        let asker = try #require(await scene.ball.devices.first)
        #expect(asker.address == BluetoothAddress(name))
        #expect(await asker.mtuBytes == nil)
        #expect(await asker.isSubscribed == false)
        await scene.radio.say(.subscribed(EightBallService.reply, nil))
        #expect(await asker.isSubscribed == true)
        await scene.radio.say(.connected(PeerID(rawValue: "B")))
        #expect(await asker.isSubscribed == nil)
        await scene.radio.say(.unsubscribed(EightBallService.reply, nil))
        #expect(await asker.isSubscribed == false)
        try await scene.radio.askPrivately("Well?", tag(1), from: name, mtuBytes: 185)
        #expect(await asker.mtuBytes == 185)
        #expect(await asker.isConnected)
        await scene.radio.say(.disconnected(PeerID(rawValue: name)))
        #expect(await !asker.isConnected)
        #expect(await asker.mtuBytes == nil)
    }
}
