internal import BLETerminal

/// Text for one row, in parts that look different.
struct StyledRow: Hashable, Sendable {
    struct Span: Hashable, Sendable {
        let text: String
        let style: Style
    }

    private(set) var spans: [Span] = []
    /// How many cells it takes.
    private(set) var width = 0

    init() {}

    init(_ text: some StringProtocol, _ style: Style = .plain) {
        append(text, style)
    }

    mutating func append(_ text: some StringProtocol, _ style: Style = .plain) {
        guard !text.isEmpty else { return }
        spans.append(Span(text: String(text), style: style))
        width += text.displayWidth
    }

    mutating func append(_ row: StyledRow) {
        spans += row.spans
        width += row.width
    }

    /// The row behind so many empty cells.
    func indented(_ count: Int) -> StyledRow {
        var row = StyledRow(String(repeating: " ", count: max(0, count)))
        row.append(self)
        return row
    }
}

extension Screen {
    /// Writes a row; what does not fit is left out.
    mutating func write(_ row: StyledRow, at position: Position, width: Int) {
        var column = position.column
        for span in row.spans {
            let rest = position.column + width - column
            guard rest > 0 else { return }
            column = write(
                span.text,
                at: Position(row: position.row, column: column),
                span.style,
                width: rest
            )
        }
    }

    /// Fills a row of an area with one look, and writes into it.
    mutating func writeBar(_ row: StyledRow, inRow number: Int, of area: Area, _ style: Style) {
        clear(rows: number..<number + 1, columns: area.columns, style)
        let start = Position(row: number, column: area.columns.lowerBound)
        write(row, at: start, width: area.columns.count)
    }
}
