/// A text with a cursor between its characters, and its changes, so that they can be undone.
struct EditedText: Sendable {
    private struct Change {
        let start: Int
        let removed: [Character]
        var inserted: [Character]
        let cursor: Int
        var cursorAfter: Int
    }

    /// Always the characters of the text as a whole: what would join with its neighbour has joined.
    private(set) var characters: [Character] = []
    /// Before which character.
    private(set) var cursor = 0

    private var undone: [Change] = []
    private var done: [Change] = []
    /// Whether the next character that is typed belongs to the last change.
    private var isTyping = false

    private static let changeLimit = 200

    /// The text.
    var string: String { String(characters) }

    init(_ text: String = "") {
        characters = Array(text)
        cursor = characters.count
    }

    /// Moves the cursor.
    mutating func move(to index: Int) {
        cursor = min(max(0, index), characters.count)
        isTyping = false
    }

    /// Replaces characters, with the cursor after the new ones.
    mutating func replace(_ range: Range<Int>, with text: String) {
        let change = change(range, with: text)
        guard !change.removed.isEmpty || !change.inserted.isEmpty else { return }
        let isCharacter = change.inserted.count == 1 && change.removed.isEmpty
        let isLetter = isCharacter && !change.inserted[0].isWhitespace
        undone = []
        make(change)
        if isTyping, isLetter, let last = done.indices.last, done[last].cursorAfter == change.start
        {
            done[last].inserted += change.inserted
            done[last].cursorAfter = cursor
        } else {
            done.append(change)
            if done.count > Self.changeLimit { done.removeFirst() }
        }
        isTyping = isCharacter
    }

    /// Takes back the last change.
    ///
    /// - Returns: whether there was one.
    mutating func undo() -> Bool {
        guard let change = done.popLast() else { return false }
        let end = change.start + change.inserted.count
        characters.replaceSubrange(change.start..<end, with: change.removed)
        cursor = change.cursor
        undone.append(change)
        isTyping = false
        return true
    }

    /// Makes again what was undone last.
    ///
    /// - Returns: whether there was something.
    mutating func redo() -> Bool {
        guard let change = undone.popLast() else { return false }
        make(change)
        done.append(change)
        isTyping = false
        return true
    }

    private mutating func make(_ change: Change) {
        let end = change.start + change.removed.count
        characters.replaceSubrange(change.start..<end, with: change.inserted)
        cursor = change.cursorAfter
    }

    private func change(_ range: Range<Int>, with text: String) -> Change {
        let inserted = Array(text)
        let before = range.lowerBound > 0 ? [characters[range.lowerBound - 1]] : []
        let after = range.upperBound < characters.count ? [characters[range.upperBound]] : []
        let joined = before + inserted + after
        if Array(String(joined)) == joined {
            return Change(
                start: range.lowerBound,
                removed: Array(characters[range]),
                inserted: inserted,
                cursor: cursor,
                cursorAfter: range.lowerBound + inserted.count
            )
        }
        // A mark joins the letter before it, a flag takes half of the next one: all is taken anew.
        let head = String(characters[..<range.lowerBound]) + text
        let whole = Array(head + String(characters[range.upperBound...]))
        var rest = head.unicodeScalars.count
        let cursorAfter = whole.firstIndex { character in
            defer { rest -= character.unicodeScalars.count }
            return rest <= 0
        }
        return Change(
            start: 0,
            removed: characters,
            inserted: whole,
            cursor: cursor,
            cursorAfter: cursorAfter ?? whole.count
        )
    }
}
