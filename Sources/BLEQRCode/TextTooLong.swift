/// A text has more bytes than the largest symbol takes.
package struct TextTooLong: Error, Equatable, Sendable {
    /// How many bytes the text has, in UTF-8.
    package let byteCount: Int
    /// How many bytes of such a text fit; more for capitals and digits than for others.
    package let maximumByteCount: Int
    /// The correction that was asked for: a lower one leaves more room.
    package let correction: Correction
}

extension TextTooLong: CustomStringConvertible {
    /// What came, and what would have fitted.
    package var description: String {
        """
        a QR code of a text of \(byteCount) bytes failed: at most \(maximumByteCount) fit \
        with \(correction) error correction
        """
    }
}
