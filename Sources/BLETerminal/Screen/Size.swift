/// How many cells something has.
public struct Size: Hashable, Sendable {
    /// How many cells a row has.
    public var columns: Int
    /// How many rows there are.
    public var rows: Int

    /// Creates a size.
    ///
    /// - Parameters:
    ///   - columns: how many cells a row has; 0 in place of less.
    ///   - rows: how many rows there are; 0 in place of less.
    public init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }
}
