import BLETesting
import Foundation
import Testing

@testable import MagicEightBall

/// Thousands of orders in which replies, answers, losses, cancellations, stops and time-outs can
/// come; see Docs/Testing.md, Schedules.
@Suite(.timeLimit(.minutes(10)))
struct CentralScheduleTests {
    @Test("In whatever order things happen, each question ends once, and nothing is left")
    func explore() async {
        let run = ScheduleRun(defaultCount: 1_500, counting: "questions", AskingWorld.play)
        for failure in await run.failures(of: "central") {
            Issue.record("seed \(failure.seed): \(failure.faults.joined(separator: "; "))")
        }
    }

    /// Each found what is told beside it.
    @Test(
        "What schedules have found stays mended",
        arguments: [
            // After a new start nobody was told that the radio was on again.
            215, 226,
        ] as [UInt64]
    )
    func found(seed: UInt64) async {
        let outcome = await GlobalJobs.onOwnThread { Schedule.run(seed: seed, AskingWorld.play) }
        #expect(outcome.faults.isEmpty, "\(outcome.trace.joined(separator: "\n"))")
    }

    @Test("A seed always gives the same schedule", arguments: [1, 2, 3] as [UInt64])
    func repeatable(seed: UInt64) async {
        let first = await GlobalJobs.onOwnThread { Schedule.run(seed: seed, AskingWorld.play) }
        let second = await GlobalJobs.onOwnThread { Schedule.run(seed: seed, AskingWorld.play) }
        #expect(first.trace == second.trace)
        #expect(first.trace.count > 10)
    }
}
