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
