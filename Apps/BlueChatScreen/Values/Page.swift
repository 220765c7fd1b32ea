/// Lines that are shown in place of the chat, until Escape is pressed.
package struct Page: Hashable, Sendable {
    /// What it is; a page of the same title takes its place without scrolling back.
    package var title: String
    /// Its lines, as they came; those that are too long go on in the next row, which is indented.
    package var lines: [String]
    /// Whether the lines draw a QR code: black on white, in the middle, and never in several rows.
    package var isQRCode: Bool

    /// How many lines are shown at most.
    static let lineLimit = 2_000

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - title: what it is.
    ///   - lines: its lines; of more than 2,000 the first ones are shown.
    ///   - isQRCode: whether the lines draw a QR code.
    package init(_ title: String, lines: [String], isQRCode: Bool = false) {
        self.title = title
        self.lines = Array(lines.prefix(Self.lineLimit))
        self.isQRCode = isQRCode
    }
}
