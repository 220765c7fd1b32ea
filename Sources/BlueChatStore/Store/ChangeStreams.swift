internal import Synchronization

/// Sends changes to every stream that was asked for; a value in the actor's state.
struct ChangeStreams {
    /// The end of one stream at which changes go in; the stream ends with it.
    private final class Channel: Sendable {
        let continuation: AsyncStream<StoreChange>.Continuation
        /// Whether its consumer does not know yet that it missed changes.
        let hasMissed = Atomic(false)
        let hasEnded = Atomic(false)

        init(_ continuation: AsyncStream<StoreChange>.Continuation) {
            self.continuation = continuation
        }

        deinit { continuation.finish() }
    }

    private var channels: [Channel] = []

    /// How many streams have a consumer.
    var count: Int { channels.count { !$0.hasEnded.load(ordering: .relaxed) } }

    /// Adds a stream of the changes from now on.
    mutating func add() -> AsyncStream<StoreChange> {
        channels.removeAll { $0.hasEnded.load(ordering: .relaxed) }
        let (waiting, continuation) = AsyncStream.makeStream(
            of: StoreChange.self,
            bufferingPolicy: .bufferingOldest(StoreLimits.changeCount)
        )
        let channel = Channel(continuation)
        channels.append(channel)
        continuation.onTermination = { [weak channel] _ in
            channel?.hasEnded.store(true, ordering: .relaxed)
        }
        return AsyncStream { [weak channel] in
            // What waits behind it is older than the reading, and does no harm.
            if channel?.hasMissed.exchange(false, ordering: .relaxed) == true { return .reload }
            for await change in waiting { return change }
            return nil
        }
    }

    /// Sends a change to all streams.
    mutating func send(_ change: StoreChange) {
        for channel in channels {
            if case .dropped = channel.continuation.yield(change) {
                channel.hasMissed.store(true, ordering: .relaxed)
            }
        }
        channels.removeAll { $0.hasEnded.load(ordering: .relaxed) }
    }

    /// Ends all streams.
    mutating func end() {
        channels = []
    }
}
