/// How often somebody has done something lately.
struct RateLimit<Key: Hashable & Sendable>: Sendable {
    private let maximumCount: Int
    private var counts: BoundedMemory<Key, Int>

    /// - Parameters:
    ///   - maximumCount: how often one may within a time, counted from the first of them.
    ///   - time: that time.
    ///   - keyCount: of how many it is counted.
    init(_ maximumCount: Int, within time: Duration, of keyCount: Int) {
        self.maximumCount = maximumCount
        counts = BoundedMemory(maximumCount: keyCount, lifetime: time)
    }

    /// Of how many it is counted now.
    var keyCount: Int { counts.count }

    /// Whether one may once more, which does not count as doing it.
    mutating func allows(_ key: Key, at now: Duration) -> Bool {
        counts.forget(at: now)
        return counts[key].map { $0 < maximumCount } ?? true
    }

    /// - Returns: whether one may once more.
    mutating func take(_ key: Key, at now: Duration) -> Bool {
        guard allows(key, at: now) else { return false }
        if !counts.insert(1, for: key, at: now) { counts.update(key) { $0 += 1 } }
        return true
    }
}
