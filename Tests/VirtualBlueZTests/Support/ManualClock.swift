import DBus

/// A clock that stands still until a test moves it.
final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        let sinceStart: Duration

        func advanced(by duration: Duration) -> Instant {
            Instant(sinceStart: sinceStart + duration)
        }

        func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }

        static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.sinceStart < rhs.sinceStart }
    }

    private struct State {
        var now = Duration.zero
        var lastID = 0
        var sleepers: [Int: (until: Duration, CheckedContinuation<Void, any Error>)] = [:]
    }

    private let state = Locked(State())

    var now: Instant { Instant(sinceStart: state.withLock(\.now)) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(id, deadline.sinceStart, continuation)
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.1
                .resume(throwing: CancellationError())
        }
    }

    private func add(
        _ id: Int,
        _ deadline: Duration,
        _ continuation: CheckedContinuation<Void, any Error>
    ) {
        let result: Result<Void, any Error>? = state.withLock { state in
            if Task.isCancelled { return .failure(CancellationError()) }
            if state.now >= deadline { return .success(()) }
            state.sleepers[id] = (deadline, continuation)
            return nil
        }
        result.map { continuation.resume(with: $0) }
    }

    /// Lets time pass, and wakes whose time has come.
    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            let now = state.now
            let due = state.sleepers.filter { $0.value.until <= now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.sorted { $0.until < $1.until }
        }
        for sleeper in due { sleeper.1.resume() }
    }
}
