internal import DequeModule

/// What is remembered for a while under a key; the oldest is forgotten first.
struct BoundedMemory<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let key: Key
        let time: Duration
    }

    private let maximumCount: Int
    private let lifetime: Duration
    private var values: [Key: Value] = [:]
    private var order: Deque<Entry> = []

    /// - Parameters:
    ///   - maximumCount: of how many, 1 or more.
    ///   - lifetime: for how long; as long as there is room unless ``forget(at:)`` is called.
    init(maximumCount: Int, lifetime: Duration = .zero) {
        precondition(maximumCount > 0)
        self.maximumCount = maximumCount
        self.lifetime = lifetime
    }

    /// How many are remembered.
    var count: Int { values.count }

    /// Forgets what is older than it may be.
    mutating func forget(at now: Duration) {
        while let first = order.first, now - first.time >= lifetime { removeFirst() }
    }

    /// What is remembered.
    subscript(key: Key) -> Value? { values[key] }

    /// Remembers something that is not remembered yet.
    ///
    /// - Returns: whether it was not.
    mutating func insert(_ value: Value, for key: Key, at now: Duration) -> Bool {
        guard values[key] == nil else { return false }
        if order.count == maximumCount { removeFirst() }
        values[key] = value
        order.append(Entry(key: key, time: now))
        return true
    }

    /// Remembers something, or changes what is.
    mutating func set(_ value: Value, for key: Key, at now: Duration) {
        if !insert(value, for: key, at: now) { update(key) { $0 = value } }
    }

    /// Changes what is remembered, which makes it no younger.
    mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
        guard var value = values.removeValue(forKey: key) else { return }
        change(&value)
        values[key] = value
    }

    /// Forgets something, in as many steps as there are keys; so not for what happens often.
    mutating func remove(_ key: Key) {
        guard values.removeValue(forKey: key) != nil else { return }
        order.removeAll { $0.key == key }
    }

    private mutating func removeFirst() {
        guard let first = order.popFirst() else { return }
        values[first.key] = nil
    }
}
