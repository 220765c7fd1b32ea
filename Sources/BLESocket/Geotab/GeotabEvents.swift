/// What happens to a ``GeotabSocket``, and waits for who takes it.
struct GeotabEvents {
    typealias Event = GeotabSocket.Event

    /// How many wait at most, beside the end.
    static let maximumCount = 1_024

    private var waiting: [Event] = []
    private var consumer: AsyncStream<Event>.Continuation?
    /// Whether one had no room: nothing but the end follows.
    private(set) var isFull = false

    /// None waits any more: another opening begins.
    mutating func begin() {
        waiting = []
        isFull = false
    }

    /// Those that wait and those that follow, for another consumer in place of the one before.
    mutating func stream() -> AsyncStream<Event> {
        consumer?.finish()
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self,
            // And the one that finds no room, which is known once it is there, and the end.
            bufferingPolicy: .bufferingOldest(Self.maximumCount + 2)
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
        guard !isFull else { return false }
        if let result = consumer?.yield(event) {
            if case .enqueued(let room) = result {
                isFull = room < 2
                return !isFull
            }
            // It has gone, and took nothing.
            consumer = nil
        }
        if case .receivedVehicleData = event, case .receivedVehicleData = waiting.last {
            // What was told before is not so any longer.
            waiting[waiting.count - 1] = event
            return true
        }
        isFull = waiting.count >= Self.maximumCount
        if !isFull { waiting.append(event) }
        return !isFull
    }

    /// Adds the end, for which there is always room.
    mutating func finish(_ error: SocketError?) {
        guard let consumer else { return waiting.append(.closed(error)) }
        consumer.yield(.closed(error))
        consumer.finish()
        self.consumer = nil
    }
}
