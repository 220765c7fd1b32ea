/// Pauses between attempts: each twice as long as the one before, up to a longest; of each a random
/// part is taken off, at most a quarter, so that two who failed together don't meet again.
struct Backoff: Sendable {
    private var pause: Duration
    private let longest: Duration

    init(first: Duration, longest: Duration) {
        pause = first
        self.longest = longest
    }

    /// The next pause.
    mutating func next(using random: inout SplitMix64) -> Duration {
        defer { pause = min(pause * 2, longest) }
        return pause * Double.random(in: 0.75...1, using: &random)
    }
}
