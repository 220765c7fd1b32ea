internal import HeapModule

/// What happens by itself, and when.
struct Schedule {
    /// What can happen; each at most once at a time.
    enum Event: Hashable, Sendable {
        case advertisingReport(adapter: Int)
        /// The controller scans, as it was asked to.
        case discoveryStart(adapter: Int)
        /// The `Timeout` of an advertisement.
        case advertisementEnd(RegisteredAdvertisement.ID, adapter: Int)
        /// The `DiscoverableTimeout` of an advertisement.
        case discoverableEnd(RegisteredAdvertisement.ID, adapter: Int)
        /// The time of an adapter's mode is over.
        case modeEnd(AdapterMode, adapter: Int)
        case connection(DeviceID)
        case connectionFailure(DeviceID)
        case resolution(DeviceID)
        case disconnection(DeviceID)
        case removal(DeviceID)
        case handlerTimeout(operation: Int)
        case commands(DeviceID)
        case crash
        /// The end of a request over a link that is gone; the daemon dies of it.
        case crashAfterLostWrite(server: Int)
        /// The end of a link whose other end is no longer received.
        case supervisionTimeout(DeviceID)
        /// The end of a link whose other end does not reply.
        case abandonment(DeviceID)
        /// The end of a request to a host that does not respond.
        case requestTimeout(operation: Int)
        /// The end of an indication that a central does not confirm.
        case indicationTimeout(DeviceID)
        /// The next step of a path between two adapters.
        case step(AdapterPair)
        /// What a fault has put off, by its number.
        case deferred(Int)
    }

    private struct Entry: Comparable {
        let event: Event
        let due: Duration
        /// Those that are due at the same time happen in the order in which they were set.
        let order: Int

        static func < (lhs: Entry, rhs: Entry) -> Bool {
            (lhs.due, lhs.order) < (rhs.due, rhs.order)
        }
    }

    private var entries: [Event: Entry] = [:]
    /// What was cancelled or moved is left in it until its turn.
    private var heap = Heap<Entry>()
    private var lastOrder = 0

    /// How many events are set.
    var count: Int { entries.count }

    /// When the next event is due.
    var next: Duration? { heap.min?.due }

    /// Sets an event, or moves one that is set already.
    mutating func set(_ event: Event, at due: Duration) {
        lastOrder += 1
        let entry = Entry(event: event, due: due, order: lastOrder)
        entries[event] = entry
        heap.insert(entry)
        removeStale()
    }

    mutating func cancel(_ event: Event) {
        guard entries.removeValue(forKey: event) != nil else { return }
        removeStale()
    }

    mutating func cancelAll() {
        entries = [:]
        heap = Heap()
    }

    func contains(_ event: Event) -> Bool {
        entries[event] != nil
    }

    /// When an event is due; `nil` for one that is not set.
    func due(_ event: Event) -> Duration? {
        entries[event]?.due
    }

    /// Takes the earliest event that is due.
    mutating func popDue(at now: Duration) -> Event? {
        guard let first = heap.min, first.due <= now else { return nil }
        heap.removeMin()
        entries[first.event] = nil
        removeStale()
        return first.event
    }

    /// Lets the heap begin with an event that is set, and bounds what it holds besides.
    private mutating func removeStale() {
        while let first = heap.min, entries[first.event] != first { heap.removeMin() }
        guard heap.count > 2 * entries.count + 16 else { return }
        heap = Heap(entries.values)
    }
}
