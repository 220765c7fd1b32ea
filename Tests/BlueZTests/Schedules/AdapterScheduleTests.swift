import BLEDBusTesting
import BLETesting
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
        let end = begin + max(count ?? (first == nil ? 15 : 1), 1)
        let bus = try await PrivateBus.start()
        var failureCount = 0
        for seed in begin..<end where failureCount < 5 {
            let isTraced = environment["EIGHTBALL_TRACE"] != nil
            if try await !play(seed, on: bus, isTraced: isTraced) { failureCount += 1 }
        }
    }

    /// Each found what is told beside it: the first ones while the limits were real time, which ConnectingTests and ScanningTests
    /// have step by step; the last, when the mending was taken back, in two runs of three.
    @Test(
        "What schedules have found stays mended",
        arguments: [
            // An attempt that was cancelled left its link behind while the one before was being ended.
            520, 770, 1228,
            // A discovery that began when the power was back went on though nobody wanted it.
            701, 1090,
            // Two that asked at once made an attempt each, and the link was left.
            31,
        ] as [UInt64]
    )
    func found(seed: UInt64) async throws {
        _ = try await play(seed, on: PrivateBus())
    }

    /// Plays a schedule.
    ///
    /// - Returns: whether all was well.
    private func play(_ seed: UInt64, on bus: PrivateBus, isTraced: Bool = false) async throws
        -> Bool
    {
        let world = try await AdapterWorld(seed: seed, on: bus)
        await world.play()
        let faults = await world.faults
        if !faults.isEmpty || isTraced {
            print("schedule \(seed) of adapter:")
            print(await world.trace.map { "  " + $0 }.joined(separator: "\n"))
        }
        #expect(faults.isEmpty, "adapter, seed \(seed)")
        return faults.isEmpty
    }
}
