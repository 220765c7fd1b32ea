import DBusTesting
import Foundation
import Testing

/// Orders of replies, errors, signals, losses and cancellations at the adapter; see Docs/Testing.md,
/// Schedules.
@Suite(.timeLimit(.minutes(10)))
struct AdapterScheduleTests {
    @Test("In whatever order org.bluez speaks, each call ends once, and nothing is left there")
    func explore() async throws {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["EIGHTBALL_SEED"].flatMap { UInt64($0) }
        let count = environment["EIGHTBALL_SCHEDULES"].flatMap { UInt64($0) }
        let begin = first ?? 1
        let end = begin + max(count ?? (first == nil ? 60 : 1), 1)
        let bus = try PrivateBus()
        var failureCount = 0
        for seed in begin..<end where failureCount < 5 {
            let world = try await AdapterWorld(seed: seed, on: bus)
            await world.play()
            let faults = await world.faults
            if !faults.isEmpty || environment["EIGHTBALL_TRACE"] != nil {
                print("schedule \(seed) of adapter:")
                print(await world.trace.map { "  " + $0 }.joined(separator: "\n"))
            }
            #expect(faults.isEmpty, "adapter, seed \(seed)")
            if !faults.isEmpty { failureCount += 1 }
        }
    }
}
