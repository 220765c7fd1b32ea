/// A clock that stands still until a test moves it.
///
/// Its instants are distances from now, and `now` is always zero: whoever sleeps says how long,
/// never until when. So all that changes lives in an actor.
struct ManualClock: Clock {
    struct Instant: InstantProtocol {
        var distance: Duration

        func advanced(by duration: Duration) -> Instant { Instant(distance: distance + duration) }
        func duration(to other: Instant) -> Duration { other.distance - distance }
        static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.distance < rhs.distance }
    }

    private let sleepers = Sleepers()

    var now: Instant { Instant(distance: .zero) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let (waking, wake) = AsyncStream.makeStream(of: Never.self)
        let id = await sleepers.add(deadline.distance, wake)
        for await _ in waking {}
        await sleepers.remove(id)
        try Task.checkCancellation()
    }

    /// Returns when somebody sleeps who has this long to go.
    func sleeper(for limit: Duration) async {
        await sleepers(for: limit, count: 1)
    }

    /// Returns when so many sleep who have this long to go.
    func sleepers(for limit: Duration, count: Int) async {
        await sleepers(for: limit...limit, count: count)
    }

    /// Returns when so many sleep who have about this long to go.
    func sleepers(for limits: ClosedRange<Duration>, count: Int) async {
        for await _ in await sleepers.arrival(of: limits, count: count) {}
    }

    /// Lets time pass, and wakes whose time has come.
    func advance(by duration: Duration) async {
        await sleepers.advance(by: duration)
    }
}

private actor Sleepers {
    private struct Sleeper {
        var rest: Duration
        let wake: AsyncStream<Never>.Continuation
    }

    private var sleepers: [Int: Sleeper] = [:]
    private var lastID = 0
    private var expected: [Expectation] = []

    private struct Expectation {
        let limits: ClosedRange<Duration>
        let count: Int
        let arrived: AsyncStream<Never>.Continuation
    }

    func add(_ limit: Duration, _ wake: AsyncStream<Never>.Continuation) -> Int {
        lastID += 1
        sleepers[lastID] = Sleeper(rest: limit, wake: wake)
        expected.removeAll(where: isFulfilled)
        return lastID
    }

    func remove(_ id: Int) {
        sleepers[id] = nil
    }

    func arrival(of limits: ClosedRange<Duration>, count: Int) -> AsyncStream<Never> {
        let (arrival, arrived) = AsyncStream.makeStream(of: Never.self)
        expected.append(Expectation(limits: limits, count: count, arrived: arrived))
        expected.removeAll(where: isFulfilled)
        return arrival
    }

    private func isFulfilled(_ expectation: Expectation) -> Bool {
        let count = sleepers.values.count { expectation.limits.contains($0.rest) }
        guard count >= expectation.count else { return false }
        expectation.arrived.finish()
        return true
    }

    func advance(by duration: Duration) {
        for id in sleepers.keys { sleepers[id]?.rest -= duration }
        for sleeper in sleepers.values where sleeper.rest <= .zero { sleeper.wake.finish() }
    }
}
