/// What a ball answers: one of the twenty, or any other text.
public struct Answer: Hashable, Sendable {
    /// The most bytes of UTF-8 that an answer may have.
    ///
    /// Source: Docs/Wire.md.
    public static let maximumByteCount = 480

    /// The text for people.
    ///
    /// It may hold anything that a ball sent, control characters too.
    public let text: String

    /// Which of the twenty it is; `nil` for another text.
    public let stock: StockAnswer?

    /// One of the twenty.
    ///
    /// - Parameter stock: which one.
    public init(_ stock: StockAnswer) {
        text = stock.sentence
        self.stock = stock
    }

    /// An answer from its text.
    ///
    /// - Parameter text: one of the twenty as its slug or as its sentence, or another text of 1 to
    ///   480 bytes of UTF-8.
    /// - Throws: ``EightBallError`` with ``EightBallError/Code/rejected(_:)``: for the reason
    ///   ``RejectionReason/malformed`` when the text is empty, for ``RejectionReason/tooLong`` when
    ///   it has too many bytes.
    public init(_ text: String) throws(EightBallError) {
        guard !text.isEmpty else {
            throw EightBallError(.rejected(.malformed), "the answer is empty")
        }
        guard text.utf8.count <= Self.maximumByteCount else {
            throw EightBallError(
                .rejected(.tooLong),
                "the answer has \(text.utf8.count) bytes of UTF-8, and at most "
                    + "\(Self.maximumByteCount) can be sent"
            )
        }
        self.init(received: text)
    }

    /// An answer as it was received: a slug or a sentence of the twenty, or any other text.
    init(received text: String) {
        stock = StockAnswer.allCases.first { $0.slug == text || $0.sentence == text }
        self.text = stock?.sentence ?? text
    }

    /// The text as it is sent: a slug for the twenty, since it fits each packet.
    var wireText: String { stock?.slug ?? text }
}

extension Answer: CustomStringConvertible {
    /// The text for people.
    public var description: String { text }
}
