internal import BLEDBus
internal import BLELocking

/// A clock that stands still until it is moved, so that hours pass in milliseconds.
///
/// ```swift
/// let clock = ManualClock()
/// let daemon = try await VirtualDaemon.start(on: bus.address, clock: clock)
/// await daemon.passTime(.seconds(24 * 3600))
/// ```
///
/// It may be the clock of a daemon, of the program under test, or of both. ``advance(by:)`` jumps;
/// ``VirtualDaemon/passTime(_:afterEach:)`` and ``VirtualWorld/passTime(_:)`` go from event to event.
public final class ManualClock: Clock {
    /// A time by such a clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public let sinceStart: Duration

        /// The time that is later by a duration.
        ///
        /// - Parameter duration: how much later.
        /// - Returns: that time.
        public func advanced(by duration: Duration) -> Instant {
            Instant(sinceStart: sinceStart + duration)
        }

        /// How much later another time is.
        ///
        /// - Parameter other: the other time.
        /// - Returns: the time in between.
        public func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }

        /// Whether a time is earlier than another.
        public static func < (lhs: Instant, rhs: Instant) -> Bool {
            lhs.sinceStart < rhs.sinceStart
        }
    }

    private struct State {
        var now = Duration.zero
        var lastID = 0
        var sleepers: [Int: (until: Duration, CheckedContinuation<Void, any Error>)] = [:]
    }

    private let state = Locked(State())

    /// Makes a clock that stands at zero.
    public init() {}

    /// The time as it stands.
    public var now: Instant { Instant(sinceStart: state.withLock(\.now)) }

    /// There is none: every time can be told from every other.
    public var minimumResolution: Duration { .zero }

    /// How many wait for a time.
    var sleeperCount: Int { state.withLock(\.sleepers.count) }

    /// Waits until the clock has been moved to a time.
    ///
    /// - Parameters:
    ///   - deadline: the time.
    ///   - tolerance: has no meaning here.
    /// - Throws: `CancellationError`.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
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

    /// Moves the clock at once, and wakes whose time has come, the earliest first.
    ///
    /// A daemon that sleeps sees what has become due as due now, once: a scan of an hour makes
    /// one report.
    ///
    /// - Parameter duration: how far, 0 or more.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "time does not go back: \(duration)")
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
