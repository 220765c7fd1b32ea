/// Edits a text of one or more lines, in a part of the screen.
///
/// ```swift
/// var editor = LineEditor(size: Size(columns: 40, rows: 3))
/// editor.apply(.insert("Will it rain?"))
/// for (row, text) in editor.visibleRows.enumerated() { … }
/// ```
///
/// The cursor is always between two characters, also between those of many scalars.
public struct LineEditor: Sendable {
    /// How many cells the text is seen in, at least one; the text scrolls in them.
    public var size: Size {
        didSet { layOut() }
    }

    /// How long the text may be.
    public var limit: TextLimit?

    private(set) var content = EditedText()
    private var history: InputHistory
    private var killed = ""
    /// Whether what is cut next belongs to what was cut.
    private var isKilling = false
    /// Where rows above and below are entered, while the cursor goes only up and down.
    private var goalColumn: Int?
    private var layout = EditorLayout([], columns: 1)
    private var top = 0

    /// Creates an editor without a text.
    ///
    /// - Parameters:
    ///   - size: how many cells the text is seen in.
    ///   - limit: how long the text may be.
    ///   - history: the texts that were entered before, the last one at the end.
    ///   - historyLimit: how many of them are kept.
    public init(
        size: Size,
        limit: TextLimit? = nil,
        history: [String] = [],
        historyLimit: Int = 200
    ) {
        self.size = size
        self.limit = limit
        self.history = InputHistory(history, limit: historyLimit)
        layOut()
    }

    /// The text.
    ///
    /// What is set is not cut to the limit.
    public var text: String {
        get { content.string }
        set { reset(newValue) }
    }

    /// The texts that were entered before, the last one at the end.
    public var entered: [String] { history.entries }

    /// How much may still be written; negative when a text was set that is too long, `nil` without a limit.
    public var remaining: Int? { limit.map { $0.maximum - $0.count(text) } }

    /// Does one thing.
    ///
    /// - Parameter edit: what.
    /// - Returns: whether it could; `false` as well when an inserted text was cut to the limit, but not because of
    ///   what can't be written.
    @discardableResult
    public mutating func apply(_ edit: Edit) -> Bool {
        let wasKilling = isKilling
        isKilling = false
        defer {
            if case .moveRow = edit {} else { goalColumn = nil }
            layOut()
        }
        switch edit {
        case .insert(let text): return insert(text)
        case .delete(let direction):
            return remove(to: content.cursor + (direction == .backward ? -1 : 1))
        case .killWord(let direction):
            return kill(to: content.wordEnd(direction), direction, appending: wasKilling)
        case .killLine(let direction):
            let end = content.lineEnd(direction)
            // At the end of a line its line feed goes.
            let isThere = end == content.cursor
            let next = direction == .backward ? end - 1 : end + 1
            return kill(to: isThere ? next : end, direction, appending: wasKilling)
        case .yank: return killed.isEmpty ? false : insert(killed)
        case .move(let direction):
            return move(to: content.cursor + (direction == .backward ? -1 : 1))
        case .moveWord(let direction): return move(to: content.wordEnd(direction))
        case .moveLine(let direction): return move(to: content.lineEnd(direction))
        case .moveText(let direction):
            return move(to: direction == .backward ? 0 : content.characters.count)
        case .moveRow(let direction): return moveRow(direction)
        case .undo: return content.undo()
        case .redo: return content.redo()
        }
    }

    /// Ends the text: it is added to those that were entered before, and the editor is empty.
    ///
    /// - Returns: the text.
    public mutating func enter() -> String {
        let text = text
        history.add(text)
        reset("")
        return text
    }

    /// The rows that are seen; at most as many as the size has.
    public var visibleRows: [String] {
        layout.rows[top...].prefix(max(1, size.rows)).map { String(content.characters[$0]) }
    }

    /// How many rows the whole text takes.
    public var rowCount: Int { layout.rows.count }

    /// Where the cursor is, in the rows that are seen.
    public var cursor: Position {
        let position = layout.position(of: content.cursor, in: content.characters)
        return Position(row: position.row - top, column: position.column)
    }

    private mutating func layOut() {
        layout = EditorLayout(content.characters, columns: size.columns)
        let row = layout.position(of: content.cursor, in: content.characters).row
        let rows = max(1, size.rows)
        top = min(max(top, row - rows + 1), row, max(0, layout.rows.count - rows))
    }

    private mutating func reset(_ text: String) {
        content = EditedText(Self.writable(text))
        isKilling = false
        goalColumn = nil
        layOut()
    }

    private mutating func move(to index: Int) -> Bool {
        let cursor = content.cursor
        content.move(to: index)
        return content.cursor != cursor
    }

    private mutating func moveRow(_ direction: Edit.Direction) -> Bool {
        let position = layout.position(of: content.cursor, in: content.characters)
        let column = goalColumn ?? position.column
        let row = position.row + (direction == .backward ? -1 : 1)
        if layout.rows.indices.contains(row) {
            goalColumn = column
            return move(to: layout.index(atColumn: column, ofRow: row, in: content.characters))
        }
        guard let text = history.step(direction, from: text) else { return false }
        reset(text)
        return true
    }

    private mutating func insert(_ text: String) -> Bool {
        let text = Self.writable(text)
        guard !text.isEmpty else { return true }
        let fitting = fitting(text)
        guard !fitting.isEmpty else { return false }
        content.replace(content.cursor..<content.cursor, with: fitting)
        return fitting.utf8.count == text.utf8.count
    }

    /// As much of the beginning of a text as may be inserted.
    private func fitting(_ text: String) -> String {
        guard let limit else { return text }
        let head = String(content.characters[..<content.cursor])
        let tail = String(content.characters[content.cursor...])
        let fits = { (part: String) in limit.count(head + part + tail) <= limit.maximum }
        if fits(text) { return text }
        let characters = Array(text)
        var (low, high) = (0, characters.count)
        while low < high {
            let middle = (low + high + 1) / 2
            if fits(String(characters[..<middle])) { low = middle } else { high = middle - 1 }
        }
        return String(characters[..<low])
    }

    private mutating func remove(to index: Int) -> Bool {
        let end = min(max(0, index), content.characters.count)
        guard end != content.cursor else { return false }
        content.replace(min(end, content.cursor)..<max(end, content.cursor), with: "")
        return true
    }

    private mutating func kill(
        to index: Int,
        _ direction: Edit.Direction,
        appending: Bool
    ) -> Bool {
        let end = min(max(0, index), content.characters.count)
        let part = String(
            content.characters[min(end, content.cursor)..<max(end, content.cursor)]
        )
        guard remove(to: end) else {
            isKilling = appending
            return false
        }
        let old = appending ? killed : ""
        killed = direction == .backward ? part + old : old + part
        isKilling = true
        return true
    }

    /// A text without what can't be written: its lines end with `\n`, tabs are spaces.
    private static func writable(_ text: String) -> String {
        var result = ""
        for character in text {
            if character.isNewline {
                result += "\n"
            } else if character == "\t" {
                result += "    "
            } else if character.unicodeScalars.allSatisfy({
                $0.properties.generalCategory != .control
            }) {
                result.append(character)
            }
        }
        return result
    }
}
