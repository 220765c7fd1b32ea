import DBus

/// A clock that stands still until a test moves it.
struct ManualClock: Clock {
    struct Instant: InstantProtocol {
        var distance: Duration

        func advanced(by duration: Duration) -> Instant { Instant(distance: distance + duration) }
        func duration(to other: Instant) -> Duration { other.distance - distance }
        static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.distance < rhs.distance }
    }

    private final class Face: Sendable {
        struct State {
            var now = Instant(distance: .zero)
            var sleepers: [Int: (deadline: Instant, wake: AsyncStream<Never>.Continuation)] = [:]
            var lastID = 0
        }

        let state = Locked(State())
        /// An element for each change of who sleeps.
        let (changes, changed) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
    }

    private let face = Face()

    var now: Instant { face.state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let (waking, wake) = AsyncStream.makeStream(of: Never.self)
        let id = face.state.withLock { state in
            state.lastID += 1
            state.sleepers[state.lastID] = (deadline, wake)
            if deadline <= state.now { wake.finish() }
            return state.lastID
        }
        face.changed.yield()
        for await _ in waking {}
        face.state.withLock { $0.sleepers[id] = nil }
        try Task.checkCancellation()
    }

    /// Waits until somebody sleeps who has a time to go; for one task at a time.
    ///
    /// - Parameter limits: between which two times that is.
    /// - Returns: how long they have to go.
    @discardableResult
    func sleeper(for limits: ClosedRange<Duration>) async -> Duration {
        var changes = face.changes.makeAsyncIterator()
        while true {
            let rest = face.state.withLock { state in
                state.sleepers.values.map { state.now.duration(to: $0.deadline) }
                    .first { limits.contains($0) }
            }
            if let rest { return rest }
            // Ends with the test's task.
            guard await changes.next() != nil else { return .zero }
        }
    }

    /// Lets time pass, and wakes whose time has come.
    func advance(by duration: Duration) {
        face.state.withLock { state in
            state.now = state.now.advanced(by: duration)
            for sleeper in state.sleepers.values where sleeper.deadline <= state.now {
                sleeper.wake.finish()
            }
        }
    }

    /// Waits until somebody sleeps who has that long to go, and lets it pass.
    func pass(_ duration: Duration) async {
        await sleeper(for: duration...duration)
        advance(by: duration)
    }
}
