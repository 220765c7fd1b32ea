import BLETesting
import Testing

/// Orders in which messages, losses, moves and ends can come among nodes; see Docs/Testing.md, Schedules.
// 10,000 of them take a quarter of an hour.
@Suite("Nodes in schedules", .timeLimit(.minutes(40)))
struct RelayScheduleTests {
    @Test func `deliver each message once, in whatever order things happen`() async {
        let run = ScheduleRun(defaultCount: 100, counting: "messages", RelayWorld.play)
        for failure in await run.failures(of: "relay") {
            Issue.record("seed \(failure.seed): \(failure.faults.joined(separator: "; "))")
        }
    }

    /// Each found what is told beside it.
    @Test(
        arguments: [
            // A neighbour that subscribed long after it had connected was sent nothing of what was kept, as nothing told of it.
            36, 198, 603, 617, 2028,
        ] as [UInt64]
    )
    func `stay mended`(seed: UInt64) async {
        let outcome = await GlobalJobs.onOwnThread { Schedule.run(seed: seed, RelayWorld.play) }
        #expect(outcome.faults.isEmpty, "\(outcome.trace.joined(separator: "\n"))")
    }
}
