/// Where a cell is, counted from 0 at the top left.
public struct Position: Hashable, Sendable {
    /// The row, from the top.
    public var row: Int
    /// The column, from the left.
    public var column: Int

    /// Creates a position.
    ///
    /// - Parameters:
    ///   - row: the row, from the top.
    ///   - column: the column, from the left.
    public init(row: Int, column: Int) {
        self.row = row
        self.column = column
    }
}
