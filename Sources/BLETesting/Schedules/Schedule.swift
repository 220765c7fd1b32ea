/// One order of many in which things can happen, decided by a seed: who runs next, the time, what happened and what should not have.
///
/// A test makes its actors, radios and users in it, plays steps, and lets all come to its end. The code that is tested is given
/// the ``clock`` and a radio whose executor is a ``ScheduledExecutor``; its tasks run one piece at a time, on one thread.
///
/// Unchecked, as ``Scheduler``.
package final class Schedule: @unchecked Sendable {
    package let seed: UInt64
    package let scheduler: Scheduler
    package let sleepers: ScheduledSleepers
    package private(set) var trace: [String] = []
    package private(set) var faults: [String] = []
    /// How many pieces may run before the time has to move.
    package var longestRun = 20_000

    package init(seed: UInt64) {
        self.seed = seed
        scheduler = Scheduler(seed: seed)
        sleepers = ScheduledSleepers(scheduler: scheduler)
    }

    package var clock: ScheduledClock { ScheduledClock(sleepers: sleepers) }
    package var now: Duration { sleepers.now }

    package func note(_ line: String) { trace.append("\(now) \(line)") }

    package func fault(_ line: String) {
        note("FAULT \(line)")
        faults.append(line)
    }

    /// Runs all that is ready, and what that makes ready.
    package func settle() {
        var budget = longestRun
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
    package func play<Step>(_ count: Int, of row: [Step], _ take: (Step) -> Void) {
        for _ in 0..<count {
            let limit = scheduler.chance(30) ? .max : scheduler.number(in: 0...12)
            var ran = 0
            while ran < limit, !scheduler.isIdle, ran < longestRun {
                scheduler.runNext()
                ran += 1
            }
            if let step = scheduler.element(of: row) { take(step) }
        }
        settle()
    }

    /// Finds fault with what should all be over.
    package func expectNone(_ counts: KeyValuePairs<String, Int>, _ details: [String: String]) {
        for (name, count) in counts where count > 0 {
            let which = details[name].map { ": \($0)" } ?? ""
            fault("\(count) \(name) left after the stop\(which)")
        }
    }

    /// The outcome of a schedule.
    package struct Outcome: Sendable {
        package let seed: UInt64
        package let trace: [String]
        package let faults: [String]
        /// How many pieces were run.
        package let jobCount: Int
        /// How many of what the test counts there were.
        package let count: Int
    }

    /// Runs one schedule on the present thread.
    ///
    /// - Parameters:
    ///   - seed: decides all.
    ///   - play: plays, and returns how many of what it counts there were.
    /// - Returns: the outcome.
    package static func run(seed: UInt64, _ play: (Schedule) -> Int) -> Outcome {
        let schedule = Schedule(seed: seed)
        let count = GlobalJobs.taken(by: schedule.scheduler) { play(schedule) }
        return Outcome(
            seed: seed,
            trace: schedule.trace,
            faults: schedule.faults,
            jobCount: schedule.scheduler.count,
            count: count
        )
    }
}
