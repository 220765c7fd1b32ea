/// How often one asker may ask.
///
/// ```swift
/// let limit = QuestionLimit(count: 10, per: .seconds(60))
/// ```
public struct QuestionLimit: Hashable, Sendable {
    /// How many questions of one asker are accepted within ``duration``; 1 or more.
    public let count: Int

    /// How long an accepted question counts.
    public let duration: Duration

    /// A limit.
    ///
    /// - Parameters:
    ///   - count: how many questions of one asker are accepted within the time; 1 or more.
    ///   - duration: how long an accepted question counts; more than nothing.
    public init(count: Int, per duration: Duration) {
        precondition(count > 0 && duration > .zero, "\(count) questions in \(duration)")
        self.count = count
        self.duration = duration
    }
}
