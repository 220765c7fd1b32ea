import BLE
import Testing

@testable import MagicEightBall

@Suite
struct ValueTests {
    @Test(
        "A question's end is put in order",
        arguments: [
            ("Rain?", "Rain?"), ("Rain? \n\t", "Rain?"), ("Rain\u{FF1F}", "Rain?"),
            ("هل تمطر\u{061F} ", "هل تمطر?"), (" Rain ?", " Rain ?"), ("It rains", "It rains"),
            ("Rain?\u{3000}", "Rain?"), ("\u{FF1F}", "?"),
        ]
    )
    func question(text: String, expected: String) throws {
        #expect(try Question(text).text == expected)
    }

    @Test("An empty question is no question", arguments: ["", " ", "\n\n", "\u{3000}"])
    func emptyQuestion(text: String) {
        let error = #expect(throws: EightBallError.self) { try Question(text) }
        #expect(error?.code == .rejected(.questionPlease))
    }

    @Test("A question and an answer have at most 480 bytes")
    func tooLong() throws {
        let longest = String(repeating: "ü", count: 240)
        #expect(try Question(longest + " ").text == longest)
        #expect(try Answer(longest).text == longest)
        let question = #expect(throws: EightBallError.self) { try Question(longest + "?") }
        #expect(question?.code == .rejected(.tooLong))
        let answer = #expect(throws: EightBallError.self) { try Answer(longest + ".") }
        #expect(answer?.code == .rejected(.tooLong))
    }

    @Test("An empty answer is none")
    func emptyAnswer() {
        let error = #expect(throws: EightBallError.self) { try Answer("") }
        #expect(error?.code == .rejected(.malformed))
    }

    @Test("Slug and sentence are the same answer", arguments: StockAnswer.allCases)
    func stockAnswer(stock: StockAnswer) throws {
        #expect(try Answer(stock.slug) == Answer(stock))
        #expect(try Answer(stock.sentence) == Answer(stock))
        #expect(Answer(stock).wireText == stock.slug)
        #expect(stock.slug.utf8.count == 14)
    }

    @Test("Another text is itself", arguments: ["SLUG-ANSWER-20", "slug-answer-00", "Yes", "🎱"])
    func otherAnswer(text: String) throws {
        let answer = try Answer(text)
        #expect(answer.stock == nil)
        #expect(answer.text == text)
        #expect(answer.wireText == text)
    }

    @Test("Ten answers affirm, five are non-committal, five deny")
    func kinds() {
        #expect(StockAnswer.allCases.count == 20)
        #expect(StockAnswer.allCases.map(\.rawValue) == Array(0...19))
        #expect(StockAnswer.allCases.count { $0.kind == .affirmative } == 10)
        #expect(StockAnswer.allCases.count { $0.kind == .nonCommittal } == 5)
        #expect(StockAnswer.veryDoubtful.kind == .negative)
        #expect(StockAnswer.replyHazyTryAgain.slug == "SLUG-ANSWER-10")
        #expect(StockAnswer.yesDefinitely.sentence == "Yes – definitely.")
    }

    @Test(
        "What one notification cannot carry is cut between characters",
        arguments: [
            ("It is certain.", 23, "SLUG-ANSWER-00"),
            ("eighteen bytes do.", 23, "eighteen bytes do."),
            ("nineteen bytes don't", 23, "nineteen bytes …"), ("üüüüüüüüüü", 23, "üüüüüüü…"),
            ("👨‍👩‍👧‍👦", 23, "…"), ("nineteen bytes don't", 25, "nineteen bytes don't"),
        ]
    )
    func cut(text: String, mtu: Int, expected: String) throws {
        let value = EightBallService.notification(try Answer(text), mtuBytes: mtu)
        #expect(String(decoding: value, as: UTF8.self) == expected)
        #expect(value.count <= mtu - 5)
    }

    @Test(
        "Each reason travels as its code and comes back",
        arguments: [
            (.deviceBusy, 0x90), (.questionPlease, 0x0E), (.tooLong, 0x92), (.malformed, 0x93),
            (.deviceOffline, 0x94), (.peripheralError, 0x95), (.tooManyQuestions, 0x96),
            (.refused, 0x97), (.unknown(0x9F), 0x9F),
        ] as [(RejectionReason, UInt8)]
    )
    func rejection(reason: RejectionReason, code: UInt8) {
        #expect(reason.attError.rawValue == code)
        #expect(RejectionReason(ATTError(rawValue: code)) == reason)
    }

    @Test("0x91 asks for a question too, and 0x80 is a ball that failed")
    func otherCodes() {
        #expect(RejectionReason(ATTError(rawValue: 0x91)) == .questionPlease)
        #expect(RejectionReason(ATTError(rawValue: 0x80)) == .peripheralError)
        #expect(RejectionReason.unknown(0x80) == .peripheralError)
        #expect(RejectionReason.unknown(0x9A).description == "ATT 0x9A")
    }

    @Test("Neither question nor private question takes a write without response")
    func service() {
        let service = EightBallService.description
        let pair: [CharacteristicProperties] = [.write, [.read, .notify]]
        #expect(service.characteristics.map(\.properties) == pair + pair)
    }

    @Test("A seeded generator gives the same row of answers")
    func seeded() async throws {
        let asker = ConnectedAsker(
            id: PeerID(rawValue: "A"),
            ball: EightBallPeripheral(radio: ScriptedPeripheralRadio(), name: "Ball")
        )
        var rows: [[Answer]] = []
        for _ in 1...2 {
            let think = try #require(AnswerSource.random(using: Counter()).think)
            var row: [Answer] = []
            for _ in 1...5 { row.append(try await think(Question("Well?"), asker)) }
            rows.append(row)
        }
        #expect(rows[0] == rows[1])
        #expect(Set(rows[0]).count > 1)
    }
}

/// A generator that everybody can foresee.
private struct Counter: RandomNumberGenerator {
    private var state: UInt64 = 0

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return state
    }
}
