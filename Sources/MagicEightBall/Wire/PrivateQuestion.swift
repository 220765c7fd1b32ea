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
