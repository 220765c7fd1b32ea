import BLE
import Testing

@testable import MagicEightBall

@Suite("An accepted question")
struct AcceptedQuestionTests {
    private typealias Event = AcceptedQuestion.Event

    struct Course: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isPrivate: Bool
        let steps: [(AcceptedQuestion.Event, [String])]

        init(
            _ name: String,
            isPrivate: Bool,
            _ steps: [(AcceptedQuestion.Event, [String])]
        ) {
            testDescription = name
            self.isPrivate = isPrivate
            self.steps = steps
        }
    }

    private static let tag = QuestionTag(1)
    private static let gone = EightBallError(.deviceOffline, "gone")
    private static let no = RejectionReason.refused.saying("No.")
    private static let refused = Event.refused(no, EightBallError(.rejected(no), "no"))
    private static let yes = Event.answered(Answer(.yes))

    /// What nothing comes of.
    private static let nothing: [(AcceptedQuestion.Event, [String])] =
        [.turn, yes, refused, .sent, .sendingFailed(gone), .read, .ended(gone)].map { ($0, []) }

    private static let plain = [
        Course(
            "answered in its turn",
            isPrivate: false,
            [
                (.turn, ["think"]), (.turn, []),
                (yes, ["cancel", "send SLUG-ANSWER-08"]), (yes, []), (.read, []),
                (.sent, ["settle", "sent Yes.", "end"]),
            ] + nothing
        ),
        Course(
            "answered before its turn",
            isPrivate: false,
            [
                (yes, ["cancel", "send SLUG-ANSWER-08"]), (.turn, []),
                (.sent, ["settle", "sent Yes.", "end"]),
            ]
        ),
        Course(
            "refused",
            isPrivate: false,
            [(.turn, ["think"]), (refused, ["failed rejected", "end"])] + nothing
        ),
        Course(
            "refused while it is sent, and may reach everybody",
            isPrivate: false,
            [
                (yes, ["cancel", "send SLUG-ANSWER-08"]),
                (refused, ["settle", "failed rejected", "end"]), (.sent, []),
            ]
        ),
        Course(
            "ended while it waits",
            isPrivate: false,
            [(.ended(gone), ["failed deviceOffline", "end"])] + nothing
        ),
        Course(
            "not sent",
            isPrivate: false,
            [
                (yes, ["cancel", "send SLUG-ANSWER-08"]),
                (.sendingFailed(gone), ["settle", "failed deviceOffline", "end"]),
            ]
        ),
    ]

    private static let toReadable: [(AcceptedQuestion.Event, [String])] = [
        (.turn, ["think"]), (yes, ["cancel", "offer SLUG-ANSWER-08", "send ready"]),
        (.sent, ["keep", "sent Yes."]),
    ]
    private static let refusal = ["cancel", "failed rejected", "offer No.", "notify", "keep"]

    private static let privately = [
        Course(
            "answered, sent, read, and read again",
            isPrivate: true,
            toReadable + [
                (.read, ["delivered Yes."]), (.read, []), (.sent, []), (yes, []), (refused, []),
                (.sendingFailed(gone), []), (.ended(gone), ["end"]),
            ] + nothing
        ),
        Course(
            "read before the radio says that it was sent",
            isPrivate: true,
            [
                (yes, ["cancel", "offer SLUG-ANSWER-08", "send ready"]),
                (.read, ["keep", "sent Yes.", "delivered Yes."]), (.sent, []),
                (.ended(gone), ["end"]),
            ]
        ),
        Course(
            "read, though the radio says that it was not sent",
            isPrivate: true,
            [
                (yes, ["cancel", "offer SLUG-ANSWER-08", "send ready"]),
                (.read, ["keep", "sent Yes.", "delivered Yes."]), (.sendingFailed(gone), []),
            ]
        ),
        Course(
            "not sent",
            isPrivate: true,
            [
                (yes, ["cancel", "offer SLUG-ANSWER-08", "send ready"]),
                (.sendingFailed(gone), ["failed deviceOffline", "end"]),
            ] + nothing
        ),
        Course(
            "not read in time",
            isPrivate: true,
            toReadable + [(.ended(gone), ["failed deviceOffline", "end"])] + nothing
        ),
        Course(
            "refused before its turn, and the refusal read",
            isPrivate: true,
            [(refused, refusal), (.turn, []), (yes, []), (.read, []), (.ended(gone), ["end"])]
        ),
        Course(
            "refused, and the refusal not read",
            isPrivate: true,
            [(.turn, ["think"]), (refused, refusal), (refused, []), (.ended(gone), ["end"])]
        ),
        Course(
            "refused while its answer is sent",
            isPrivate: true,
            [
                (yes, ["cancel", "offer SLUG-ANSWER-08", "send ready"]), (refused, refusal),
                (.sent, []), (.sendingFailed(gone), []), (.read, []),
            ]
        ),
        Course(
            "ended while it is thought about",
            isPrivate: true,
            [(.turn, ["think"]), (.ended(gone), ["failed deviceOffline", "end"])] + nothing
        ),
    ]

    private func question(isPrivate: Bool) -> AcceptedQuestion {
        AcceptedQuestion(
            id: 1,
            question: Question(received: "Well?"),
            asker: ConnectedAsker(
                id: PeerID(rawValue: "A"),
                ball: EightBallPeripheral(radio: ScriptedPeripheralRadio(), name: "Ball")
            ),
            pair: isPrivate ? .private(Self.tag) : .plain,
            mtuBytes: 23
        )
    }

    @Test(arguments: plain + privately)
    func `answers each event with its actions`(course: Course) {
        var question = question(isPrivate: course.isPrivate)
        for (index, step) in course.steps.enumerated() {
            let names = question.take(step.0).map { $0.name(question.reply) }
            #expect(names == step.1, "step \(index)")
        }
    }

    @Test(arguments: plain + privately)
    func `is told to have ended once, and then needs nothing more`(course: Course) {
        var question = question(isPrivate: course.isPrivate)
        var failures = 0
        var ends = 0
        for step in course.steps {
            for action in question.take(step.0) {
                if case .reportFailed = action { failures += 1 }
                if case .end = action { ends += 1 }
            }
        }
        #expect(failures <= 1)
        #expect(ends <= 1)
    }

    @Test func `takes a place until there is something to read`() {
        var question = question(isPrivate: true)
        #expect(question.isWaiting && question.isUnanswered && question.isOpen)
        _ = question.take(.turn)
        #expect(!question.isWaiting && question.isUnanswered && question.isOpen)
        _ = question.take(Self.yes)
        #expect(!question.isUnanswered && question.isOpen)
        _ = question.take(.sent)
        #expect(!question.isOpen)
    }

    @Test func `refuses with words of at most 480 bytes`() {
        var question = question(isPrivate: true)
        let reason = RejectionReason.refused.saying(String(repeating: "w", count: 500))
        _ = question.take(.refused(reason, Self.gone))
        #expect(question.reply.count == 10 + 480)
    }
}

extension AcceptedQuestion.Action {
    fileprivate func name(_ reply: [UInt8]) -> String {
        switch self {
        case .think: "think"
        case .cancel: "cancel"
        case .send(_, EightBallService.reply, Reply.ready(QuestionTag(1)).bytes):
            "send ready"
        case .send(_, EightBallService.answer, let value):
            "send " + String(decoding: value, as: UTF8.self)
        case .send(_, let characteristic, let value): "send \(value) over \(characteristic)"
        case .offerReply: "offer " + String(decoding: reply.dropFirst(10), as: UTF8.self)
        case .notify: "notify"
        case .keepReply: "keep"
        case .settle: "settle"
        case .reportSent(let answer): "sent \(answer)"
        case .reportDelivered(let answer): "delivered \(answer)"
        case .reportFailed(let error): "failed \(error.code)"
        case .end: "end"
        }
    }
}
