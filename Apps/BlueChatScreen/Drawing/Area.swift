internal import BLETerminal

/// A part of the screen.
struct Area: Hashable, Sendable {
    var rows: Range<Int>
    var columns: Range<Int>

    var size: Size { Size(columns: columns.count, rows: rows.count) }

    /// Takes rows from its top, as many as there are.
    mutating func takeTop(_ count: Int) -> Area {
        let middle = min(rows.upperBound, rows.lowerBound + max(0, count))
        defer { rows = middle..<rows.upperBound }
        return Area(rows: rows.lowerBound..<middle, columns: columns)
    }

    /// Takes rows from its bottom, as many as there are.
    mutating func takeBottom(_ count: Int) -> Area {
        let middle = max(rows.lowerBound, rows.upperBound - max(0, count))
        defer { rows = rows.lowerBound..<middle }
        return Area(rows: middle..<rows.upperBound, columns: columns)
    }

    /// Takes columns from its left, as many as there are.
    mutating func takeLeft(_ count: Int) -> Area {
        let middle = min(columns.upperBound, columns.lowerBound + max(0, count))
        defer { columns = middle..<columns.upperBound }
        return Area(rows: rows, columns: columns.lowerBound..<middle)
    }
}
