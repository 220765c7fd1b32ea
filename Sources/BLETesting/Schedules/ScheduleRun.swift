internal import Foundation

/// Many schedules, one after the other.
///
/// `EIGHTBALL_SCHEDULES` says how many, `EIGHTBALL_SEED` with which seed to begin, and
/// `EIGHTBALL_TRACE` prints what happened in each.
package struct ScheduleRun: Sendable {
    private let seeds: ClosedRange<UInt64>
    private let showsTrace: Bool
    private let counted: String
    private let play: @Sendable (Schedule) -> Int

    /// Schedules that have not been run.
    ///
    /// - Parameters:
    ///   - defaultCount: how many, unless the environment says otherwise.
    ///   - counted: what is counted: `questions`.
    ///   - play: plays one, and returns how many of these there were.
    package init(
        defaultCount: UInt64,
        counting counted: String,
        _ play: @escaping @Sendable (Schedule) -> Int
    ) {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["EIGHTBALL_SEED"].flatMap { UInt64($0) }
        let count = environment["EIGHTBALL_SCHEDULES"].flatMap { UInt64($0) }
        let begin = first ?? 1
        seeds = begin...(begin + max(count ?? (first == nil ? defaultCount : 1), 1) - 1)
        showsTrace = environment["EIGHTBALL_TRACE"] != nil
        self.counted = counted
        self.play = play
    }

    /// Runs them until five have failed, and prints the traces of these.
    ///
    /// - Parameter name: what is printed beside them.
    /// - Returns: those with faults.
    package func failures(of name: String) async -> [Schedule.Outcome] {
        let (shown, summary) = await GlobalJobs.onOwnThread { [self] in
            var shown: [Schedule.Outcome] = []
            var (scheduleCount, jobCount, count) = (0, 0, 0)
            for seed in seeds where shown.count < 5 {
                let outcome = Schedule.run(seed: seed, play)
                if !outcome.faults.isEmpty || showsTrace { shown.append(outcome) }
                scheduleCount += 1
                jobCount += outcome.jobCount
                count += outcome.count
            }
            return (shown, "\(scheduleCount) | \(count) | \(jobCount)")
        }
        print("schedules | \(name) | schedules, \(counted), steps | \(summary)")
        for outcome in shown {
            print("schedule \(outcome.seed) of \(name):")
            print(outcome.trace.map { "  " + $0 }.joined(separator: "\n"))
        }
        return shown.filter { !$0.faults.isEmpty }
    }
}
