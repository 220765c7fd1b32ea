/// Turns what changed on a screen into the bytes that a terminal needs.
///
/// The bytes are few: what is the same is left alone, but behind a character whose width terminals disagree on; the cursor
/// takes the shortest way, the rest of a row is erased where that is shorter.
public struct ScreenRenderer: Sendable {
    /// What the terminal can do.
    public var features: TerminalFeatures

    /// Creates a renderer.
    ///
    /// - Parameter features: what the terminal can do.
    public init(features: TerminalFeatures = TerminalFeatures()) {
        self.features = features
    }

    /// The bytes that make a terminal that shows one screen show another one.
    ///
    /// The terminal has the plain style before and after. One whose cursor can't be moved gets the rows that changed
    /// as lines of text.
    ///
    /// - Parameters:
    ///   - old: what is shown; `nil` when that is not known: all is drawn then, as with another size.
    ///   - new: what will be shown.
    /// - Returns: the bytes; none when nothing changed.
    public func diff(from old: Screen?, to new: Screen) -> [UInt8] {
        let old = old?.size == new.size ? old : nil
        let blank = Screen(new.size)
        guard features.movesCursor else { return lines(from: old ?? blank, to: new) }
        var pen = Pen(features, at: old.flatMap { visibleCursor(of: $0) })
        if old == nil { pen.clear() }
        for row in 0..<new.size.rows {
            draw(row, from: old ?? blank, to: new, &pen)
        }
        pen.apply(.plain)
        place(visibleCursor(of: new), from: old.map(visibleCursor), &pen)
        return Array(pen.output.utf8)
    }

    private func draw(_ row: Int, from old: Screen, to new: Screen, _ pen: inout Pen) {
        let columns = 0..<new.size.columns
        let differs = { (column: Int) in old[row, column] != new[row, column] }
        // Who draws a character wider has drawn over what is behind it.
        let uncertain = columns.first {
            differs($0) && !(old[row, $0].isSimple && new[row, $0].isSimple)
        }
        let firstUncertain = uncertain ?? columns.upperBound
        let changed = { (column: Int) in column > firstUncertain || differs(column) }
        guard let last = columns.last(where: changed) else { return }
        let end = (columns.last { new[row, $0] != .blank } ?? -1) + 1
        var column = 0
        while column <= last {
            guard changed(column) else {
                column += 1
                continue
            }
            // Erasing takes three bytes, and as many as it takes to have the plain style.
            if column >= end, last - column >= 3 {
                pen.apply(.plain)
                pen.move(to: Position(row: row, column: column), over: new)
                pen.eraseToEndOfRow()
                return
            }
            pen.move(to: Position(row: row, column: column), over: new)
            pen.put(new[row, column], isAtEnd: column + new[row, column].width >= columns.count)
            column += new[row, column].width
        }
    }

    /// Shows, hides and moves the cursor.
    ///
    /// - Parameters:
    ///   - new: where it will be seen.
    ///   - old: where it is seen; `nil` when that is not known.
    ///   - pen: writes it.
    private func place(_ new: Position?, from old: Position??, _ pen: inout Pen) {
        if let new { pen.move(to: new, over: nil) }
        if case .some(let old) = old, (old == nil) == (new == nil) { return }
        pen.output += new == nil ? "\u{1B}[?25l" : "\u{1B}[?25h"
    }

    private func visibleCursor(of screen: Screen) -> Position? {
        guard let cursor = screen.cursor, (0..<screen.size.rows).contains(cursor.row),
            (0..<screen.size.columns).contains(cursor.column)
        else { return nil }
        return cursor
    }

    private func lines(from old: Screen, to new: Screen) -> [UInt8] {
        var text = ""
        for row in 0..<new.size.rows where old.text(ofRow: row) != new.text(ofRow: row) {
            var line = new.text(ofRow: row)
            while line.last == " " { line.removeLast() }
            text += line + "\r\n"
        }
        return Array(text.utf8)
    }
}
