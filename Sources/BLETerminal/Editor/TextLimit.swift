/// How long a text may be, in what its receiver counts.
public struct TextLimit: Sendable {
    /// The largest count.
    public let maximum: Int
    /// Counts a text.
    ///
    /// A text never counts less than a part of it does.
    public let count: @Sendable (String) -> Int

    /// Creates a limit.
    ///
    /// ```swift
    /// TextLimit(140) { $0.utf16.count }
    /// ```
    ///
    /// - Parameters:
    ///   - maximum: the largest count.
    ///   - count: counts a text; characters when left out.
    public init(_ maximum: Int, count: @escaping @Sendable (String) -> Int = { $0.count }) {
        self.maximum = maximum
        self.count = count
    }
}
