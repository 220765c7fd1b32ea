/// The rows of messages that were drawn lately.
struct LayoutCache: Sendable {
    private struct Entry {
        let message: Message
        let rows: [StyledRow]
    }

    private var entries: [String: Entry] = [:]
    private var width = 0
    private var rowCount = 0

    private static let rowLimit = 4_000

    /// The rows of a message, which are laid out if they were not before.
    mutating func rows(_ message: Message, width: Int) -> [StyledRow] {
        if width != self.width {
            clear()
            self.width = width
        }
        if let entry = entries[message.id], entry.message == message { return entry.rows }
        if rowCount > Self.rowLimit { clear() }
        let rows = MessageLayout.rows(message, width: width)
        entries[message.id] = Entry(message: message, rows: rows)
        rowCount += rows.count
        return rows
    }

    private mutating func clear() {
        entries = [:]
        rowCount = 0
    }
}
