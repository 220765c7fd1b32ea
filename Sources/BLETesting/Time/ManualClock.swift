internal import BLE
internal import Synchronization

/// A clock that stands still until a test advances it.
///
/// ```swift
/// let clock = ManualClock()
/// async let answer = ask(within: .seconds(30), on: clock)
/// await clock.waitForSleeper(for: .seconds(30))
/// await clock.advance(by: .seconds(30))
/// ```
///
/// Give it to the program under test, to a ``MemoryAir``, or to both.
public final class ManualClock: Clock {
    /// A time on such a clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public let sinceStart: Duration

        /// Returns the time that is later by a duration.
        ///
        /// - Parameter duration: how much later.
        /// - Returns: that time.
        public func advanced(by duration: Duration) -> Instant {
            Instant(sinceStart: sinceStart + duration)
        }

        /// Returns how much later another time is.
        ///
        /// - Parameter other: the other time.
        /// - Returns: the time in between.
        public func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }

        /// Whether a time is earlier than another.
        public static func < (lhs: Instant, rhs: Instant) -> Bool {
            lhs.sinceStart < rhs.sinceStart
        }
    }

    private let nanoseconds = Atomic<Int64>(0)
    private let sleepers = Sleepers()

    /// Creates a clock that shows zero.
    public init() {}

    /// The time that the clock shows.
    public var now: Instant {
        Instant(sinceStart: .nanoseconds(nanoseconds.load(ordering: .acquiring)))
    }

    /// A nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until the clock has been advanced to a time.
    ///
    /// - Parameters:
    ///   - deadline: the time.
    ///   - tolerance: has no meaning here.
    /// - Throws: `CancellationError`.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let (waking, wake) = AsyncStream.makeStream(of: Never.self)
        let id = await sleepers.add(until: deadline.sinceStart, wake)
        for await _ in waking {}
        await sleepers.remove(id)
        try Task.checkCancellation()
    }

    /// Advances the clock at once, and wakes those whose time has come, the earliest first.
    ///
    /// Whoever sleeps again and again, as a radio that advertises does, is woken once.
    ///
    /// - Parameter duration: how far, 0 or more.
    public func advance(by duration: Duration) async {
        precondition(duration >= .zero, "time does not go back: \(duration)")
        // A quotient of durations is a Double, which some nanoseconds are not: 2365 s would be one less.
        let (seconds, attoseconds) = duration.components
        let step = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        let now = nanoseconds.add(step, ordering: .acquiringAndReleasing).newValue
        await sleepers.wake(at: .nanoseconds(now))
    }

    /// Waits until somebody sleeps who has this long to go.
    ///
    /// Ends early when the task is cancelled.
    ///
    /// - Parameters:
    ///   - duration: how long they have to go.
    ///   - count: how many of them there have to be.
    public func waitForSleeper(for duration: Duration, count: Int = 1) async {
        await waitForSleeper(for: duration...duration, count: count)
    }

    /// Waits until somebody sleeps who has about this long to go.
    ///
    /// Ends early when the task is cancelled.
    ///
    /// - Parameters:
    ///   - durations: how long they have to go.
    ///   - count: how many of them there have to be.
    public func waitForSleeper(for durations: ClosedRange<Duration>, count: Int = 1) async {
        for await _ in await sleepers.arrival(of: durations, count: count) {}
    }

    /// Does something while the clock goes, up to twenty times as fast as real time.
    ///
    /// For what waits in between, however often and however long. On a machine that is busy it is slower, and slower than real time
    /// where others take nearly all of it: each 10 to 25 ms of it let the jobs that wait for a thread have their turn several times.
    ///
    /// - Parameter work: what is done; the clock stands still again when it has ended.
    /// - Returns: what that returned.
    /// - Throws: what that threw.
    public func run<Output: Sendable>(
        while work: @escaping @Sendable () async throws -> Output
    ) async throws -> Output {
        let time = Task {
            let queue = RadioQueue("manual clock")
            // A short sleep takes longer than it is told to.
            var last = ContinuousClock.now
            while (try? await Task.sleep(for: .microseconds(300))) != nil {
                for _ in 0..<Self.turnCount { await Self.waitForTurn(on: queue) }
                let now = ContinuousClock.now
                await advance(by: Self.step(after: now - last))
                last = now
            }
        }
        defer { time.cancel() }
        return try await work()
    }

    /// How far the clock goes in one step.
    ///
    /// - Parameter elapsed: the real time since the last one.
    /// - Returns: at most 25 ms, also when the machine ran nothing of this process for seconds: a time limit must not be over
    ///   before what it limits has had a turn.
    package static func step(after elapsed: Duration) -> Duration {
        min(elapsed * 20, max(.milliseconds(10), elapsed / 2), .milliseconds(25))
    }

    /// How often jobs have their turn between two steps.
    private static let turnCount = 4

    /// Waits until what waits for a thread now has had one.
    private static func waitForTurn(on queue: RadioQueue) async {
        await Task.yield()
        await withCheckedContinuation { turn in queue.call { turn.resume() } }
    }

    /// Waits until somebody sleeps who has this long to go, then advances the clock by as much.
    ///
    /// - Parameter duration: how long.
    public func pass(_ duration: Duration) async {
        await waitForSleeper(for: duration)
        await advance(by: duration)
    }
}

/// Who sleeps on a clock, and who waits for them.
private actor Sleepers {
    private struct Sleeper {
        let deadline: Duration
        let wake: AsyncStream<Never>.Continuation
    }

    private struct Expectation {
        let durations: ClosedRange<Duration>
        let count: Int
        let arrived: AsyncStream<Never>.Continuation
    }

    private var now = Duration.zero
    private var sleepers: [Int: Sleeper] = [:]
    private var expectations: [Expectation] = []
    private var lastID = 0

    func add(until deadline: Duration, _ wake: AsyncStream<Never>.Continuation) -> Int {
        lastID += 1
        guard deadline > now else {
            wake.finish()
            return lastID
        }
        sleepers[lastID] = Sleeper(deadline: deadline, wake: wake)
        expectations.removeAll(where: isFulfilled)
        return lastID
    }

    func remove(_ id: Int) {
        sleepers[id] = nil
    }

    func wake(at time: Duration) {
        // Two may advance the clock at once.
        now = max(now, time)
        let due = sleepers.filter { $0.value.deadline <= now }
            .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        for (id, sleeper) in due {
            sleepers[id] = nil
            sleeper.wake.finish()
        }
        expectations.removeAll(where: isFulfilled)
    }

    func arrival(of durations: ClosedRange<Duration>, count: Int) -> AsyncStream<Never> {
        let (arrival, arrived) = AsyncStream.makeStream(of: Never.self)
        expectations.append(Expectation(durations: durations, count: count, arrived: arrived))
        expectations.removeAll(where: isFulfilled)
        return arrival
    }

    private func isFulfilled(_ expectation: Expectation) -> Bool {
        let count = sleepers.values.count { expectation.durations.contains($0.deadline - now) }
        guard count >= expectation.count else { return false }
        expectation.arrived.finish()
        return true
    }
}
