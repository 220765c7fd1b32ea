/// What a schedule's worlds share: the order, the time, what happened and what should not have.
///
/// Unchecked, as ``Scheduler``.
final class Schedule: @unchecked Sendable {
    let seed: UInt64
    let scheduler: Scheduler
    let sleepers: ScheduledSleepers
    private(set) var trace: [String] = []
    private(set) var faults: [String] = []

    init(seed: UInt64) {
        self.seed = seed
        scheduler = Scheduler(seed: seed)
        sleepers = ScheduledSleepers(scheduler: scheduler)
    }

    var clock: ScheduledClock { ScheduledClock(sleepers: sleepers) }
    var now: Duration { sleepers.now }

    func note(_ line: String) { trace.append("\(now) \(line)") }

    func fault(_ line: String) {
        note("FAULT \(line)")
        faults.append(line)
    }

    /// Runs all that is ready, and what that makes ready.
    func settle() {
        var budget = 20_000
        while !scheduler.isIdle, budget > 0 {
            scheduler.runNext()
            budget -= 1
        }
        if budget == 0 { fault("it goes round in circles without the time moving") }
    }

    /// What came of a schedule.
    struct Outcome: Sendable {
        let seed: UInt64
        let trace: [String]
        let faults: [String]
        let jobCount: Int
        let questionCount: Int
    }

    /// Runs one schedule on the present thread.
    ///
    /// - Parameters:
    ///   - seed: decides all.
    ///   - play: plays, and returns how many questions were asked.
    /// - Returns: what came of it.
    static func run(seed: UInt64, _ play: (Schedule) -> Int) -> Outcome {
        let schedule = Schedule(seed: seed)
        let questionCount = GlobalJobs.taken(by: schedule.scheduler) { play(schedule) }
        return Outcome(
            seed: seed,
            trace: schedule.trace,
            faults: schedule.faults,
            jobCount: schedule.scheduler.count,
            questionCount: questionCount
        )
    }
}
