import Foundation
import Testing

/// Many schedules, one after the other.
///
/// `EIGHTBALL_SCHEDULES` says how many, `EIGHTBALL_SEED` with which seed to begin, and
/// `EIGHTBALL_TRACE` prints what happened in each.
struct ScheduleRun {
    private let seeds: ClosedRange<UInt64>
    private let showsTrace: Bool
    private let play: @Sendable (Schedule) -> Int

    init(defaultCount: UInt64, _ play: @escaping @Sendable (Schedule) -> Int) {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["EIGHTBALL_SEED"].flatMap { UInt64($0) }
        let count = environment["EIGHTBALL_SCHEDULES"].flatMap { UInt64($0) }
        let begin = first ?? 1
        seeds = begin...(begin + max(count ?? (first == nil ? defaultCount : 1), 1) - 1)
        showsTrace = environment["EIGHTBALL_TRACE"] != nil
        self.play = play
    }

    /// Runs them until five have failed; prints of these the traces.
    func expectNoFault(_ name: String) async {
        let (seeds, play, showsTrace) = (seeds, play, showsTrace)
        let (failed, summary) = await GlobalJobs.onOwnThread {
            var failed: [Schedule.Outcome] = []
            var (scheduleCount, jobCount, questionCount) = (0, 0, 0)
            for seed in seeds where failed.count < 5 {
                let outcome = Schedule.run(seed: seed, play)
                if !outcome.faults.isEmpty || showsTrace { failed.append(outcome) }
                scheduleCount += 1
                jobCount += outcome.jobCount
                questionCount += outcome.questionCount
            }
            return (
                failed,
                "\(scheduleCount) | \(questionCount) | \(jobCount)"
            )
        }
        print("schedules | \(name) | schedules, questions, steps | \(summary)")
        for outcome in failed {
            if !outcome.faults.isEmpty || showsTrace {
                print("schedule \(outcome.seed) of \(name):")
                print(outcome.trace.map { "  " + $0 }.joined(separator: "\n"))
            }
            #expect(outcome.faults.isEmpty, "\(name), seed \(outcome.seed)")
        }
    }
}
