/// A value of the Reply characteristic.
///
/// Source: Docs/Wire.md, Ours.
enum Reply: Hashable, Sendable {
    /// The outcome of a private question.
    enum Outcome: Hashable, Sendable {
        /// The answer's bytes; whether they are text is not judged here.
        case answered([UInt8])
        /// The ball refused, after it had accepted the question.
        case rejected(RejectionReason)
    }

    /// Notified to all subscribers: the reply to this tag can be read.
    case ready(QuestionTag)
    /// Read by one asker: the outcome of its private question.
    case outcome(QuestionTag, Outcome)

    private static let readyKind: UInt8 = 0x01
    private static let outcomeKind: UInt8 = 0x02
    private static let answeredStatus: UInt8 = 0x00

    /// A value that was notified or read.
    ///
    /// - Returns: `nil` when there is nothing in it, or nothing that is known.
    init?(received bytes: [UInt8]) {
        let rest = bytes.dropFirst()
        guard let kind = bytes.first, let tag = QuestionTag(rest.prefix(QuestionTag.byteCount))
        else { return nil }
        let content = rest.dropFirst(QuestionTag.byteCount)
        switch kind {
        case Self.readyKind where content.isEmpty:
            self = .ready(tag)
        case Self.outcomeKind:
            guard let status = content.first else { return nil }
            let text = Array(content.dropFirst())
            self = .outcome(tag, Self.outcome(status: status, text: text))
        default:
            return nil
        }
    }

    private static func outcome(status: UInt8, text: [UInt8]) -> Outcome {
        guard status != answeredStatus else { return .answered(text) }
        let reason = RejectionReason.unknown(status)
        return .rejected(EightBallService.text(text).map(reason.saying) ?? reason)
    }

    /// A status has room for every code but that of an answer.
    private static func status(_ reason: RejectionReason) -> UInt8 {
        reason.code == answeredStatus ? RejectionReason.refused.code : reason.code
    }

    /// The tag of the question that it is about.
    var tag: QuestionTag {
        switch self {
        case .ready(let tag), .outcome(let tag, _): tag
        }
    }

    /// The bytes to notify or to be read.
    var bytes: [UInt8] {
        switch self {
        case .ready(let tag):
            [Self.readyKind] + tag.bytes
        case .outcome(let tag, .answered(let text)):
            [Self.outcomeKind] + tag.bytes + [Self.answeredStatus] + text
        case .outcome(let tag, .rejected(let reason)):
            [Self.outcomeKind] + tag.bytes + [Self.status(reason)]
                + Array((reason.text ?? "").utf8)
        }
    }
}
