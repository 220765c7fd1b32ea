import BLETesting
import Testing

/// Orders in which messages, losses, moves and ends can come among nodes; see Docs/Testing.md, Schedules.
@Suite("Nodes in schedules", .timeLimit(.minutes(10)))
struct RelayScheduleTests {
    @Test func `deliver each message once, in whatever order things happen`() async {
        let run = ScheduleRun(defaultCount: 100, counting: "messages", RelayWorld.play)
        for failure in await run.failures(of: "relay") {
            Issue.record("seed \(failure.seed): \(failure.faults.joined(separator: "; "))")
        }
    }
}
