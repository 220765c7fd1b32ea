/// What happens to a ``GeotabSocket``, and waits for who takes it.
struct GeotabEvents {
    typealias Event = GeotabSocket.Event

    /// How many wait at most, beside the end.
    static let maximumCount = 1_024

    private var waiting: [Event] = []
    private var consumer: AsyncStream<Event>.Continuation?

    /// Those that wait and those that follow, for another consumer in place of the one before.
    mutating func stream() -> AsyncStream<Event> {
        consumer?.finish()
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self,
            // And the end.
            bufferingPolicy: .bufferingOldest(Self.maximumCount + 1)
        )
        for event in waiting { continuation.yield(event) }
        if case .closed = waiting.last {
            continuation.finish()
        } else {
            consumer = continuation
        }
        waiting = []
        return stream
    }

    /// Adds one that waits for who takes it.
    ///
    /// - Returns: whether there was room.
    mutating func add(_ event: Event) -> Bool {
        if let consumer {
            if case .dropped = consumer.yield(event) { return false }
            return true
        }
        if case .receivedVehicleData = event, case .receivedVehicleData = waiting.last {
            // What was told before is not so any longer.
            waiting[waiting.count - 1] = event
            return true
        }
        guard waiting.count < Self.maximumCount else { return false }
        waiting.append(event)
        return true
    }

    /// Adds the end.
    mutating func finish(_ error: SocketError?) {
        guard let consumer else { return waiting.append(.closed(error)) }
        consumer.yield(.closed(error))
        consumer.finish()
        self.consumer = nil
    }
}
