import BLETesting
import Testing

/// Orders in which calls, texts, farewells and losses can come between a messenger and originals; see Docs/Testing.md, Schedules.
@Suite("A messenger among originals", .timeLimit(.minutes(40)))
struct OriginalScheduleTests {
    @Test func `keeps each chat to itself, in whatever order things happen`() async {
        let run = ScheduleRun(defaultCount: 300, counting: "texts", OriginalWorld.play)
        for failure in await run.failures(of: "originals") {
            Issue.record("seed \(failure.seed): \(failure.faults.joined(separator: "; "))")
        }
    }

    /// Each found what is told beside it.
    @Test(
        arguments: [
            // Bob called and left while he was called: who called then was forgotten, without a word, when that call went through.
            1261, 2908,
        ] as [UInt64]
    )
    func `stays mended`(seed: UInt64) async {
        let outcome = await GlobalJobs.onOwnThread {
            Schedule.run(seed: seed, OriginalWorld.play)
        }
        #expect(outcome.faults.isEmpty, "\(outcome.trace.joined(separator: "\n"))")
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `has one schedule for each seed`(seed: UInt64) async {
        let first = await GlobalJobs.onOwnThread { Schedule.run(seed: seed, OriginalWorld.play) }
        let second = await GlobalJobs.onOwnThread { Schedule.run(seed: seed, OriginalWorld.play) }
        #expect(first.trace == second.trace)
        #expect(first.trace.count > 10)
    }
}
