/// The time of a schedule: it moves only when nothing else can happen, to the next limit.
package struct ScheduledClock: Clock {
    package struct Instant: InstantProtocol {
        package var sinceStart: Duration

        package func advanced(by duration: Duration) -> Instant {
            Instant(sinceStart: sinceStart + duration)
        }
        package func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }
        package static func < (lhs: Instant, rhs: Instant) -> Bool {
            lhs.sinceStart < rhs.sinceStart
        }
    }

    package let sleepers: ScheduledSleepers

    package var now: Instant { Instant(sinceStart: sleepers.now) }
    package var minimumResolution: Duration { .zero }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await sleepers.sleep(until: deadline.sinceStart)
    }
}

/// Who sleeps in a schedule.
///
/// Unchecked, as ``Scheduler``.
package final class ScheduledSleepers: @unchecked Sendable {
    package private(set) var now = Duration.zero
    private var deadlines: [Int: Duration] = [:]
    private let waiting = Waiting<Void>()
    private let scheduler: Scheduler

    init(scheduler: Scheduler) { self.scheduler = scheduler }

    package var count: Int { deadlines.count }

    /// When the next one is to be woken.
    package var next: Duration? { deadlines.values.min() }

    /// Sleeps until a time, or until cancelled.
    ///
    /// The limits of schedules are whole seconds; what is not is a random pause
    /// of the code that is tested, and drawn anew from the seed: 0.75 to 2.25 s.
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
    package func advance() {
        guard let next else { return }
        now = max(now, next)
        for number in deadlines.keys.sorted() where deadlines[number].map({ $0 <= now }) == true {
            deadlines[number] = nil
            waiting.resume(number, with: .success(()))
        }
    }
}
