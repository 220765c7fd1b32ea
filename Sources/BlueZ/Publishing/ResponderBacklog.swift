internal import DBus

/// What waits for a responder, counted, and the calls that have no reply yet, the oldest first.
///
/// A responder that hangs, or peers that ask faster than it replies, fill it up; then calls are refused
/// at once, and the rest of the room is left to events, as who came and went must not get lost.
final class ResponderBacklog: Sendable {
    /// How many calls may wait, and how many may have no reply.
    static let maximumCallCount = 1024

    /// How many events may wait.
    static let maximumEventCount = 1024

    private struct Unanswered {
        let deadline: ContinuousClock.Instant
        let call: MethodCall
    }

    private struct State {
        var callCount = 0
        var eventCount = 0
        var unanswered: [Unanswered] = []
    }

    private let state = Locked(State())

    /// Takes a call in.
    ///
    /// - Returns: whether there is room.
    func add(_ call: MethodCall, until deadline: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            guard state.callCount < Self.maximumCallCount,
                state.unanswered.count < Self.maximumCallCount
            else { return false }
            state.callCount += 1
            state.unanswered.append(Unanswered(deadline: deadline, call: call))
            return true
        }
    }

    /// A call's turn has come.
    ///
    /// - Returns: whether it still has no reply; the responder must not act on one that was refused.
    func begin(_ call: MethodCall) -> Bool {
        state.withLock { state in
            state.callCount -= 1
            return state.unanswered.contains { $0.call === call }
        }
    }

    /// A call was replied to.
    func end(_ call: MethodCall) {
        state.withLock { $0.unanswered.removeAll { $0.call === call } }
    }

    /// Takes an event in.
    ///
    /// - Returns: whether there is room.
    func addEvent() -> Bool {
        state.withLock { state in
            guard state.eventCount < Self.maximumEventCount else { return false }
            state.eventCount += 1
            return true
        }
    }

    /// An event's turn has come.
    func beginEvent() {
        state.withLock { $0.eventCount -= 1 }
    }

    /// When the oldest call's time is over; `nil` when none waits.
    var nextDeadline: ContinuousClock.Instant? {
        state.withLock { $0.unanswered.first?.deadline }
    }

    /// Takes out the calls whose time is over.
    func removeExpired(at now: ContinuousClock.Instant) -> [MethodCall] {
        state.withLock { state in
            let expired = state.unanswered.prefix { $0.deadline <= now }.map(\.call)
            state.unanswered.removeFirst(expired.count)
            return expired
        }
    }
}
