import BLETesting
import Testing

@Suite("A schedule", .timeLimit(.minutes(10)))
struct ScheduleTests {
    private actor Counter {
        private(set) var lines: [String] = []

        func add(_ line: String) { lines.append(line) }
    }

    /// Four tasks that sleep and meet at an actor.
    private static func play(_ schedule: Schedule) -> Int {
        let counter = Counter()
        for number in 0..<4 {
            Task { [clock = schedule.clock] in
                for round in 1...3 {
                    try? await clock.sleep(for: .seconds(round))
                    await counter.add("\(number) in round \(round)")
                }
            }
        }
        schedule.settle()
        while schedule.sleepers.count > 0 {
            schedule.sleepers.advance()
            schedule.settle()
        }
        Task { for line in await counter.lines { schedule.note(line) } }
        schedule.settle()
        if schedule.now != .seconds(6) { schedule.fault("it took \(schedule.now)") }
        return 12
    }

    @Test func `has the order that its seed decides, and its own time`() async {
        var orders: Set<[String]> = []
        for seed in [1, 2, 3, 1] as [UInt64] {
            let outcome = await GlobalJobs.onOwnThread { Schedule.run(seed: seed, Self.play) }
            #expect(outcome.faults.isEmpty && outcome.count == 12 && outcome.trace.count == 12)
            orders.insert(outcome.trace)
        }
        #expect(orders.count == 3)
    }

    @Test func `is found among many by its fault`() async {
        let run = ScheduleRun(defaultCount: 8, counting: "rounds") { schedule in
            if schedule.seed == 5 { schedule.fault("five") }
            return 1
        }
        #expect(await run.failures(of: "of a test").map(\.faults) == [["five"]])
    }
}
