internal import Synchronization

/// Sends each event to every stream that was asked for; a value in an actor's state.
///
/// A stream keeps up to 4096 events for a consumer that takes long. Those beyond are dropped, and the
/// consumer gets one event that says how many.
package struct EventStreams<Event: Sendable> {
    /// How many events wait in one stream.
    static var maximumCount: Int { 4096 }

    /// The end of one stream at which events go in; the stream ends with it.
    private final class Channel: Sendable {
        let id: Int
        let continuation: AsyncStream<Event>.Continuation
        let dropped: Dropped

        init(id: Int, _ continuation: AsyncStream<Event>.Continuation, _ dropped: Dropped) {
            self.id = id
            self.continuation = continuation
            self.dropped = dropped
        }

        deinit { continuation.finish() }
    }

    /// How many events a consumer does not know yet that it missed.
    private final class Dropped: Sendable {
        let count = Atomic(0)
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
        let (waiting, continuation) = AsyncStream.makeStream(
            of: Event.self,
            bufferingPolicy: .bufferingOldest(Self.maximumCount)
        )
        continuation.onTermination = { _ in ended(id) }
        let dropped = Dropped()
        channels.append(Channel(id: id, continuation, dropped))
        return AsyncStream { [missed] in
            let count = dropped.count.exchange(0, ordering: .relaxed)
            if count > 0 { return missed(count) }
            for await event in waiting { return event }
            return nil
        }
    }

    /// Removes a stream.
    package mutating func remove(_ id: Int) {
        channels.removeAll { $0.id == id }
    }

    /// Sends an event to all streams.
    package func send(_ event: Event) {
        for channel in channels {
            if case .dropped = channel.continuation.yield(event) {
                channel.dropped.count.add(1, ordering: .relaxed)
            }
        }
    }
}
