/// The texts that were entered before, and the one that is being written.
struct InputHistory: Sendable {
    private(set) var entries: [String]
    private let limit: Int
    /// Which one is seen; the number of entries for the one that is being written.
    private var index: Int
    private var draft = ""

    init(_ entries: [String], limit: Int) {
        self.entries = Array(entries.suffix(limit))
        self.limit = limit
        index = self.entries.count
    }

    /// Adds what was entered; not twice in a row.
    mutating func add(_ text: String) {
        if !text.isEmpty, entries.last != text { entries.append(text) }
        if entries.count > limit { entries.removeFirst() }
        index = entries.count
        draft = ""
    }

    /// The text before or after the one that is seen.
    ///
    /// - Parameters:
    ///   - direction: which.
    ///   - current: what is in its place now; kept if it is the one that is being written.
    /// - Returns: `nil` when there is none.
    mutating func step(_ direction: Edit.Direction, from current: String) -> String? {
        let next = direction == .backward ? index - 1 : index + 1
        guard (0...entries.count).contains(next) else { return nil }
        if index == entries.count { draft = current }
        index = next
        return next == entries.count ? draft : entries[next]
    }
}
