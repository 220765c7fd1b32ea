/// What a terminal shows: a grid of cells, and the cursor.
///
/// ```swift
/// var screen = Screen(size)
/// screen.write("Bob", at: Position(row: 0, column: 0), Style(.green, .bold))
/// screen.cursor = Position(row: 1, column: 0)
/// try await session.draw(screen)
/// ```
///
/// Any text can be written: what a terminal would obey never reaches it.
public struct Screen: Hashable, Sendable {
    /// How many cells it has.
    public let size: Size

    /// Where the cursor is; `nil` hides it.
    ///
    /// Outside of the screen it is hidden, too.
    public var cursor: Position?

    private var cells: [Cell]

    /// Creates an empty screen, without a cursor.
    ///
    /// - Parameter size: how many cells it has.
    public init(_ size: Size) {
        self.size = size
        cells = Array(repeating: .blank, count: size.columns * size.rows)
    }

    /// A cell.
    ///
    /// - Parameters:
    ///   - row: the row, from the top, inside of the screen.
    ///   - column: the column, from the left, inside of the screen.
    /// - Returns: what is there.
    public subscript(row: Int, column: Int) -> Cell {
        precondition((0..<size.columns).contains(column), "no such column")
        return cells[row * size.columns + column]
    }

    /// The text of a row, with its trailing spaces.
    ///
    /// - Parameter row: the row, from the top, inside of the screen.
    /// - Returns: its characters.
    public func text(ofRow row: Int) -> String {
        String((0..<size.columns).compactMap { self[row, $0].character })
    }

    /// Writes a text into one row.
    ///
    /// What is outside of the screen is left out. A character of two cells that has one alone is replaced by
    /// a space. Control characters and what takes no cell are left out: see ``SafeText`` for showing them.
    ///
    /// - Parameters:
    ///   - text: what is written.
    ///   - position: where it begins; may be outside of the screen.
    ///   - style: how it looks.
    ///   - width: how many cells it has at most; all up to the end of the row when left out.
    /// - Returns: the column after it.
    @discardableResult
    public mutating func write(
        _ text: some StringProtocol,
        at position: Position,
        _ style: Style = .plain,
        width: Int? = nil
    ) -> Int {
        let end = width.map { min(size.columns, position.column + $0) } ?? size.columns
        var column = position.column
        for character in text {
            let width = character.displayWidth
            guard width > 0 else { continue }
            guard column < end else { break }
            put(character, width, row: position.row, column: column, end: end, style)
            column += width
        }
        return min(column, max(end, position.column))
    }

    /// Makes cells empty.
    ///
    /// - Parameters:
    ///   - rows: the rows; those outside of the screen are left out.
    ///   - columns: the columns; all of them when left out.
    ///   - style: how the cells look.
    public mutating func clear(
        rows: Range<Int>,
        columns: Range<Int>? = nil,
        _ style: Style = .plain
    ) {
        let columns = (columns ?? 0..<size.columns).clamped(to: 0..<size.columns)
        for row in rows.clamped(to: 0..<size.rows) {
            for column in columns { set(" ", row: row, column: column, style) }
        }
    }

    private mutating func put(
        _ character: Character,
        _ width: Int,
        row: Int,
        column: Int,
        end: Int,
        _ style: Style
    ) {
        guard (0..<size.rows).contains(row) else { return }
        let inside = (column..<column + width).clamped(to: 0..<max(0, end))
        if inside.count == width {
            set(character, row: row, column: column, style)
            if width == 2 { set(nil, row: row, column: column + 1, style) }
        } else {
            for column in inside { set(" ", row: row, column: column, style) }
        }
    }

    /// Sets one cell; what has lost half of itself becomes a space.
    private mutating func set(_ character: Character?, row: Int, column: Int, _ style: Style) {
        let index = row * size.columns + column
        if cells[index].character == nil, character != nil {
            cells[index - 1] = Cell(character: " ", style: cells[index - 1].style)
        }
        if column + 1 < size.columns, cells[index + 1].character == nil {
            cells[index + 1] = Cell(character: " ", style: cells[index + 1].style)
        }
        cells[index] = Cell(character: character, style: style)
    }
}
