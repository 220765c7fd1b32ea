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

    private struct Entry {
        let event: Event
        let due: Duration
        /// Those that are due at the same time happen in the order in which they were set.
        let order: Int
    }

    private var entries: [Entry] = []
    private var lastOrder = 0

    /// How many events are set.
    var count: Int { entries.count }

    /// When the next event is due.
    var next: Duration? { entries.map(\.due).min() }

    /// Sets an event, or moves one that is set already.
    mutating func set(_ event: Event, at due: Duration) {
        cancel(event)
        lastOrder += 1
        entries.append(Entry(event: event, due: due, order: lastOrder))
    }

    mutating func cancel(_ event: Event) {
        entries.removeAll { $0.event == event }
    }

    mutating func cancelAll() {
        entries = []
    }

    func contains(_ event: Event) -> Bool {
        due(event) != nil
    }

    /// When an event is due; `nil` for one that is not set.
    func due(_ event: Event) -> Duration? {
        entries.first { $0.event == event }?.due
    }

    /// Takes the earliest event that is due.
    mutating func popDue(at now: Duration) -> Event? {
        let due = entries.indices.filter { entries[$0].due <= now }
        let first = due.min {
            (entries[$0].due, entries[$0].order) < (entries[$1].due, entries[$1].order)
        }
        return first.map { entries.remove(at: $0).event }
    }
}
