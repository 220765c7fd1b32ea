import Synchronization

/// A clock that stands still until a test moves it.
final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let wake: AsyncStream<Never>.Continuation
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var lastID = 0
        var arrivals: [(limit: Duration, arrived: AsyncStream<Never>.Continuation)] = []
    }

    // `now` must be readable from anywhere at once, so no actor can hold it.
    private let state = Mutex(State())

    var now: Instant { state.withLock(\.now) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let (stream, wake) = AsyncStream.makeStream(of: Never.self)
        let id = state.withLock { state in
            if deadline <= state.now { wake.finish() }
            state.lastID += 1
            state.sleepers[state.lastID] = Sleeper(deadline: deadline, wake: wake)
            let limit = state.now.duration(to: deadline)
            state.arrivals.removeAll { arrival in
                guard arrival.limit == limit else { return false }
                arrival.arrived.finish()
                return true
            }
            return state.lastID
        }
        for await _ in stream {}
        state.withLock { $0.sleepers[id] = nil }
        try Task.checkCancellation()
    }

    /// Returns when somebody sleeps who has this long to go.
    func sleeper(for limit: Duration) async {
        let (stream, arrived) = AsyncStream.makeStream(of: Never.self)
        state.withLock { state in
            if state.sleepers.values.contains(where: {
                state.now.duration(to: $0.deadline) == limit
            }) {
                arrived.finish()
            } else {
                state.arrivals.append((limit, arrived))
            }
        }
        for await _ in stream {}
    }

    /// Lets time pass, and wakes whose time has come.
    func advance(by duration: Duration) {
        state.withLock { state in
            state.now = state.now.advanced(by: duration)
            for sleeper in state.sleepers.values where sleeper.deadline <= state.now {
                sleeper.wake.finish()
            }
        }
    }
}
