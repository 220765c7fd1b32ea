/// Sends each event to every stream that was asked for; a value in an actor's state.
///
/// A stream keeps up to 4096 events for a consumer that takes long. Those beyond are dropped, and the
/// consumer gets one event in their place that says how many.
package struct EventStreams<Event: Sendable> {
    /// How many events wait in one stream.
    static var maximumCount: Int { 4096 }

    /// One stream, which ends with it.
    private final class Channel: Sendable {
        let id: Int
        let queue: BoundedQueue<Event>

        init(id: Int, _ queue: BoundedQueue<Event>) {
            self.id = id
            self.queue = queue
        }

        deinit { queue.finish() }
    }

    private let missed: @Sendable (Int) -> Event
    private var channels: [Channel] = []
    private var lastID = 0

    /// No streams yet.
    ///
    /// - Parameter missed: the event that says how many were dropped.
    package init(missed: @escaping @Sendable (Int) -> Event) {
        self.missed = missed
    }

    /// Adds a stream of the events that are sent from now on.
    ///
    /// - Parameter ended: called with the stream's number when it has no consumer any more: it must be
    ///   removed then, since what waits in it may hold whoever sends.
    /// - Returns: the stream, for one consumer.
    package mutating func add(ended: @escaping @Sendable (Int) -> Void) -> AsyncStream<Event> {
        lastID += 1
        let id = lastID
        let (queue, events) = BoundedQueue.make(limit: Self.maximumCount, missed: missed) {
            ended(id)
        }
        channels.append(Channel(id: id, queue))
        return events
    }

    /// Removes a stream.
    package mutating func remove(_ id: Int) {
        channels.removeAll { $0.id == id }
    }

    /// Ends all streams; what waits in them is still taken.
    package mutating func finish() {
        channels = []
    }

    /// Sends an event to all streams.
    package func send(_ event: Event) {
        for channel in channels { channel.queue.add(event) }
    }
}
