import BLE
import Testing

@testable import MagicEightBall

@Suite("The private pair's bytes")
struct PrivatePairTests {
    private let tag = QuestionTag(0x0102_0304_0506_0708)

    @Test("An private question is version, tag and question")
    func privateQuestion() throws {
        let privateQuestion = PrivateQuestion(tag: tag, question: Array("Is it?".utf8))
        #expect(privateQuestion.bytes == [0x01, 1, 2, 3, 4, 5, 6, 7, 8] + Array("Is it?".utf8))
        #expect(PrivateQuestion(received: privateQuestion.bytes) == privateQuestion)
        #expect(PrivateQuestion(received: [0x01, 1, 2, 3, 4, 5, 6, 7, 8])?.question == [])
    }

    @Test(
        "An private question of another version, or without a whole tag, is none",
        arguments: [[], [0x01], [0x02, 1, 2, 3, 4, 5, 6, 7, 8, 63], [0x01, 1, 2, 3, 4, 5, 6, 7]]
    )
    func notAPrivateQuestion(bytes: [UInt8]) {
        #expect(PrivateQuestion(received: bytes) == nil)
    }

    @Test("A ready reply is nine bytes: kind and tag")
    func ready() {
        #expect(Reply.ready(tag).bytes == [0x01, 1, 2, 3, 4, 5, 6, 7, 8])
        #expect(Reply(received: Reply.ready(tag).bytes) == .ready(tag))
    }

    @Test("An answer is kind, tag, zero and text")
    func answered() {
        let reply = Reply.outcome(tag, .answered(Array("Yes".utf8)))
        #expect(reply.bytes == [0x02, 1, 2, 3, 4, 5, 6, 7, 8, 0x00] + Array("Yes".utf8))
        #expect(Reply(received: reply.bytes) == reply)
    }

    @Test(
        "A late refusal is kind, tag, code and words",
        arguments: [
            (.deviceBusy, 0x90), (.questionPlease, 0x91), (.tooLong, 0x92), (.malformed, 0x93),
            (.deviceOffline, 0x94), (.peripheralError, 0x95), (.tooManyQuestions, 0x96),
            (.refused, 0x97), (.refused.saying("Not today."), 0x97), (.unknown(0x9F), 0x9F),
        ] as [(RejectionReason, UInt8)]
    )
    func rejected(reason: RejectionReason, code: UInt8) {
        let reply = Reply.outcome(tag, .rejected(reason))
        #expect(reply.bytes == [0x02] + tag.bytes + [code] + Array((reason.text ?? "").utf8))
        #expect(Reply(received: reply.bytes) == reply)
    }

    @Test("A refusal whose words are no text is a refusal without words")
    func wordsThatAreNone() {
        let received = Reply(received: [0x02] + tag.bytes + [0x97, 0xFF])
        #expect(received == .outcome(tag, .rejected(.refused)))
    }

    @Test(
        "Other bytes are no reply",
        arguments: [
            [], [0x00], [0x01, 1, 2, 3, 4, 5, 6, 7], [0x01, 1, 2, 3, 4, 5, 6, 7, 8, 9],
            [0x02, 1, 2, 3, 4, 5, 6, 7, 8], [0x03, 1, 2, 3, 4, 5, 6, 7, 8, 0],
        ]
    )
    func notAReply(bytes: [UInt8]) {
        #expect(Reply(received: bytes) == nil)
    }

    @Test("Two tags differ")
    func tags() {
        let tags = Set((0..<1000).map { _ in QuestionTag.random() })
        #expect(tags.count == 1000)
        #expect(tags.allSatisfy { $0.bytes.count == QuestionTag.byteCount })
    }
}
