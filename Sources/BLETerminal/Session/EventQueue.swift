/// The events that wait for the program, in their order.
struct EventQueue: Sendable {
    private var events: [TerminalEvent] = []

    /// Whether the last event is among them, or was.
    private(set) var isFinished = false

    /// Nothing is read from the terminal while so many wait; its keys wait in the system, then.
    private static let limit = 64

    /// Whether no more should be read for now.
    var isFull: Bool { events.count >= Self.limit }

    /// Whether none waits.
    var isEmpty: Bool { events.isEmpty }

    /// Adds an event.
    ///
    /// Of sizes that nobody has seen the last one counts; after the last event none is added.
    mutating func add(_ event: TerminalEvent) {
        guard !isFinished else { return }
        switch (events.last, event) {
        case (.resized, .resized), (.resumed, .resumed), (.resized, .resumed):
            events[events.count - 1] = event
        case (.resumed, .resized(let size)):
            events[events.count - 1] = .resumed(size)
        case (_, .terminated), (_, .ended):
            events.append(event)
            isFinished = true
        default:
            events.append(event)
        }
    }

    /// Takes the first event.
    mutating func next() -> TerminalEvent? { events.isEmpty ? nil : events.removeFirst() }

    /// Adds no more.
    mutating func finish() { isFinished = true }
}
