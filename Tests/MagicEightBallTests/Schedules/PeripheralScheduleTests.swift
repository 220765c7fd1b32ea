import BLETesting
import Testing

@testable import MagicEightBall

/// Thousands of orders in which questions, answers, reads, losses, stops and time-outs can come to a
/// ball; see Docs/Testing.md, Schedules.
@Suite(.timeLimit(.minutes(10)))
struct PeripheralScheduleTests {
    @Test("In whatever order things happen, each question ends once, and nothing is left")
    func explore() async {
        let run = ScheduleRun(defaultCount: 1_000, counting: "questions", AnsweringWorld.play)
        for failure in await run.failures(of: "peripheral") {
            Issue.record("seed \(failure.seed): \(failure.faults.joined(separator: "; "))")
        }
    }

    /// Each found what is told beside it.
    @Test(
        "What schedules have found stays mended",
        arguments: [
            // After a new start nobody was told that the radio was on again.
            26, 104,
            // Stopped while an answer was on its way, the ball measured a time still.
            32, 154,
            // The late end of an earlier publication was taken for that of a new one, which stayed.
            3103,
        ] as [UInt64]
    )
    func found(seed: UInt64) async {
        let outcome = await GlobalJobs.onOwnThread { Schedule.run(seed: seed, AnsweringWorld.play) }
        #expect(outcome.faults.isEmpty, "\(outcome.trace.joined(separator: "\n"))")
    }

    @Test("A seed always gives the same schedule", arguments: [1, 2, 3] as [UInt64])
    func repeatable(seed: UInt64) async {
        let first = await GlobalJobs.onOwnThread { Schedule.run(seed: seed, AnsweringWorld.play) }
        let second = await GlobalJobs.onOwnThread { Schedule.run(seed: seed, AnsweringWorld.play) }
        #expect(first.trace == second.trace)
        #expect(first.trace.count > 10)
    }
}
