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

    /// Takes steps, between which some of what is ready runs, or all of it.
    ///
    /// - Parameters:
    ///   - count: how many steps.
    ///   - row: the steps, each as often as it shall happen beside the others.
    ///   - take: takes a step.
    func play<Step>(_ count: Int, of row: [Step], _ take: (Step) -> Void) {
        for _ in 0..<count {
            let limit = scheduler.chance(30) ? .max : scheduler.number(in: 0...12)
            var ran = 0
            while ran < limit, !scheduler.isIdle, ran < 20_000 {
                scheduler.runNext()
                ran += 1
            }
            if let step = scheduler.element(of: row) { take(step) }
        }
        settle()
    }

    /// Finds fault with what should all be over.
    func expectNone(_ counts: KeyValuePairs<String, Int>, _ details: [String: String]) {
        for (name, count) in counts where count > 0 {
            let which = details[name].map { ": \($0)" } ?? ""
            fault("\(count) \(name) left after the stop\(which)")
        }
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
