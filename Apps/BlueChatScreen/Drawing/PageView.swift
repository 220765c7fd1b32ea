internal import BLETerminal

/// A page that is shown, and how far it is scrolled.
struct PageView: Sendable {
    private(set) var page: Page
    private var rows: [StyledRow] = []
    private var size = Size(columns: 0, rows: 0)
    private(set) var top = 0

    init(_ page: Page) {
        self.page = page
    }

    /// Shows another page in its place.
    mutating func show(_ page: Page) {
        if page.title != self.page.title { top = 0 }
        self.page = page
        size = Size(columns: 0, rows: 0)
    }

    mutating func scroll(by count: Int) {
        top = min(max(0, top + count), max(0, rows.count - size.rows))
    }

    /// Handles a key.
    ///
    /// - Returns: whether the page is to be left.
    mutating func handle(_ key: Key) -> Bool {
        switch key.code {
        case .up: scroll(by: -1)
        case .down, .enter: scroll(by: 1)
        case .pageUp: scroll(by: -max(1, size.rows - 1))
        case .pageDown, .character(" "): scroll(by: max(1, size.rows - 1))
        case .home: scroll(by: -top)
        case .end: scroll(by: rows.count)
        case .escape, .character("q"): return true
        default: break
        }
        return false
    }

    mutating func draw(on screen: inout Screen, in area: Area) {
        if area.size != size {
            size = area.size
            rows = layOut()
            scroll(by: 0)
        }
        let indent = page.isQRCode ? max(0, (size.columns - (rows.map(\.width).max() ?? 0)) / 2) : 0
        for (number, row) in zip(area.rows, rows.dropFirst(top)) {
            let start = Position(row: number, column: area.columns.lowerBound + indent)
            screen.write(row, at: start, width: size.columns)
        }
    }

    private func layOut() -> [StyledRow] {
        guard page.isQRCode else { return page.lines.flatMap { layOut($0) } }
        let code = page.lines.map { StyledRow($0.fitted(1_000), Look.code) }
        let width = code.map(\.width).max() ?? 0
        guard width > size.columns || code.count > size.rows else { return code }
        let text =
            "Too small for the code: make this window \(width) columns and \(code.count + 2) rows."
        return ShownText.rows(text, width: size.columns, Look.notice)
    }

    /// The rows of a line, all but the first one indented, so that no part of it can pass for another line.
    private func layOut(_ line: String) -> [StyledRow] {
        let whole = ShownText.rows(line, width: size.columns, lineFeeds: .shown)
        guard whole.count > 1 else { return whole }
        let parts = ShownText.rows(line, width: size.columns - 2, lineFeeds: .shown)
        return [parts[0]] + parts.dropFirst().map { $0.indented(2) }
    }
}
