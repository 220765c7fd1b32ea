internal import HeapModule

/// Work that is to be done at a time; a value.
struct Deadlines {
    /// When, and what.
    private struct Entry: Comparable {
        let time: ContinuousClock.Instant
        let id: Int

        /// Of two for the same time, the one that was added first is earlier.
        static func < (lhs: Entry, rhs: Entry) -> Bool {
            (lhs.time, lhs.id) < (rhs.time, rhs.id)
        }
    }

    /// What was removed is left in it until its turn.
    private var heap = Heap<Entry>()
    private var work: [Int: @Sendable () -> Void] = [:]

    var isEmpty: Bool { work.isEmpty }

    /// How many entries take memory.
    var entryCount: Int { heap.count }

    /// No work is to be done before this; `nil` without any.
    var next: ContinuousClock.Instant? { heap.min?.time }

    /// Adds work; the number is used once.
    mutating func add(
        _ id: Int,
        at time: ContinuousClock.Instant,
        _ work: @escaping @Sendable () -> Void
    ) {
        self.work[id] = work
        heap.insert(Entry(time: time, id: id))
    }

    /// Removes work that is not to be done.
    mutating func remove(_ id: Int) {
        guard work.removeValue(forKey: id) != nil else { return }
        while let first = heap.min, work[first.id] == nil { heap.removeMin() }
        // Limits are rarely reached, and there may be thousands in a second.
        guard heap.count > 2 * work.count + 16 else { return }
        heap = Heap(heap.unordered.filter { work[$0.id] != nil })
    }

    /// Takes out the earliest work whose time has come; `nil` when there is none.
    mutating func removeNext(until now: ContinuousClock.Instant) -> (@Sendable () -> Void)? {
        while let first = heap.min, first.time <= now {
            heap.removeMin()
            if let work = work.removeValue(forKey: first.id) { return work }
        }
        return nil
    }
}
