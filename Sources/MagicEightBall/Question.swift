/// A text to ask: not empty, and short enough to be sent.
///
/// White space at the end is left off. A full-width or an Arabic question mark at the end becomes
/// `?`, since a ball takes no other.
public struct Question: Hashable, Sendable {
    /// The most bytes of UTF-8 that a question may have.
    ///
    /// Source: Docs/Wire.md.
    public static let maximumByteCount = 480

    /// The text as it is sent.
    public let text: String

    /// A question.
    ///
    /// A text that does not end in a question mark is sent all the same; the ball refuses it.
    ///
    /// - Parameter text: what to ask, at most 480 bytes of UTF-8.
    /// - Throws: ``EightBallError`` with ``EightBallError/Code/rejected(_:)``: for the reason
    ///   ``RejectionReason/questionPlease`` when nothing is left of the text, for
    ///   ``RejectionReason/tooLong`` when it has too many bytes.
    public init(_ text: String) throws(EightBallError) {
        var trimmed = text[...]
        while trimmed.last?.isWhitespace == true { trimmed.removeLast() }
        if let last = trimmed.last, Self.foreignQuestionMarks.contains(last) {
            trimmed.removeLast()
            trimmed.append("?")
        }
        guard !trimmed.isEmpty else {
            throw EightBallError(
                .rejected(.questionPlease),
                "the question is empty"
            )
        }
        guard trimmed.utf8.count <= Self.maximumByteCount else {
            throw EightBallError(
                .rejected(.tooLong),
                "the question has \(trimmed.utf8.count) bytes of UTF-8, and at most "
                    + "\(Self.maximumByteCount) can be sent"
            )
        }
        self.text = String(trimmed)
    }

    /// One of the twenty stock questions.
    ///
    /// - Parameter stock: which one.
    public init(_ stock: StockQuestion) {
        text = stock.sentence
    }

    /// A question as a ball has received and checked it.
    init(received text: String) {
        self.text = text
    }

    /// Whether it ends in `?`, U+003F, so that a ball accepts it.
    ///
    /// Also where signs before it make another character of it: the last byte counts.
    public var endsInQuestionMark: Bool { text.utf8.last == UInt8(ascii: "?") }

    /// U+FF1F, full width, and U+061F, Arabic.
    private static let foreignQuestionMarks: [Character] = ["\u{FF1F}", "\u{061F}"]
}

extension Question: CustomStringConvertible {
    /// The text as it is sent.
    public var description: String { text }
}
