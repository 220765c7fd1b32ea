internal import BLE

// What the private pair of characteristics carries: a question, and the reply to it.

/// A question as it is written to the Private Question characteristic.
///
/// Source: Docs/Wire.md, Ours.
struct PrivateQuestion: Hashable, Sendable {
    /// The one version there is.
    static let version: UInt8 = 0x01

    let tag: QuestionTag
    /// The question's bytes; whether they are a question is not judged here.
    let question: [UInt8]

    init(tag: QuestionTag, question: [UInt8]) {
        self.tag = tag
        self.question = question
    }

    /// A private question that was received.
    ///
    /// - Returns: `nil` when the version is unknown, or the tag is not whole.
    init?(received bytes: [UInt8]) {
        guard bytes.first == Self.version,
            let tag = QuestionTag(bytes.dropFirst().prefix(QuestionTag.byteCount))
        else { return nil }
        self.init(tag: tag, question: Array(bytes.dropFirst(1 + QuestionTag.byteCount)))
    }

    /// The bytes to write.
    var bytes: [UInt8] { [Self.version] + tag.bytes + question }
}

/// The identity of a private question: 8 random bytes that its asker chose.
struct QuestionTag: Hashable, Sendable {
    /// How many bytes a tag has.
    static let byteCount = 8

    let bytes: [UInt8]

    /// A tag that was received.
    ///
    /// - Returns: `nil` when there are not exactly 8 bytes.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// A new tag; no two are alike but by an accident of 1 in 2⁶⁴.
    ///
    /// It takes no generator: the system's has no bytes, and to hand on such a value crashes under the
    /// thread sanitizer (Swift 6.3.1 on Linux).
    static func random() -> QuestionTag {
        QuestionTag(UInt64.random(in: 0...UInt64.max))
    }

    /// The tag of a number, the first byte its most significant one.
    init(_ number: UInt64) {
        bytes = withUnsafeBytes(of: number.bigEndian, Array.init)
    }
}

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

extension EightBallService {
    /// Whether a ball with these services can be asked so that only the asker can read what it says.
    static func hasPrivatePair(_ services: [GATTService]) -> Bool {
        guard let service = services.first(where: { $0.uuid == uuid }),
            let privateQuestion = service.characteristic(privateQuestion.characteristic),
            let reply = service.characteristic(reply.characteristic)
        else { return false }
        return privateQuestion.properties.contains(.write)
            && reply.properties.isSuperset(of: [.read, .notify])
    }
}
