/// The time of a schedule: it moves only when nothing else can happen, to the next limit.
struct ScheduledClock: Clock {
    struct Instant: InstantProtocol {
        var sinceStart: Duration

        func advanced(by duration: Duration) -> Instant {
            Instant(sinceStart: sinceStart + duration)
        }
        func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }
        static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.sinceStart < rhs.sinceStart }
    }

    let sleepers: ScheduledSleepers

    var now: Instant { Instant(sinceStart: sleepers.now) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await sleepers.sleep(until: deadline.sinceStart)
    }
}

/// Who sleeps in a schedule.
///
/// Unchecked, as ``Scheduler``.
final class ScheduledSleepers: @unchecked Sendable {
    private(set) var now = Duration.zero
    private var deadlines: [Int: Duration] = [:]
    private let waiting = Waiting<Void>()
    private let scheduler: Scheduler

    init(scheduler: Scheduler) { self.scheduler = scheduler }

    var count: Int { deadlines.count }

    /// When the next one is to be woken.
    var next: Duration? { deadlines.values.min() }

    /// Sleeps until a time, or until cancelled.
    ///
    /// The limits of schedules are whole seconds; what is not is one of the SDK's random
    /// pauses, and drawn anew from the seed: 0.75 to 2.25 s.
    func sleep(until deadline: Duration) async throws {
        let isPause = (deadline - now).components.attoseconds != 0
        let pause = Duration.milliseconds(isPause ? scheduler.number(in: 750...2250) : 0)
        let deadline = isPause ? now + pause : deadline
        try await waiting.wait { number in
            deadlines[number] = deadline
        } cancelled: { number in
            self.deadlines[number] = nil
        }
    }

    /// Moves the time on to the next limit, and wakes whose it is.
    func advance() {
        guard let next else { return }
        now = max(now, next)
        for number in deadlines.keys.sorted() where deadlines[number].map({ $0 <= now }) == true {
            deadlines[number] = nil
            waiting.resume(number, with: .success(()))
        }
    }
}
