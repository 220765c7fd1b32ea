import Testing

@testable import VirtualBlueZ

@Suite("Alarm", .timeLimit(.minutes(10)))
struct AlarmTests {
    @Test func `is one at a time, also when another takes its place as it rings`() async throws {
        let world = try await World()
        for _ in 1...100 {
            await world.daemon.overtakeAlarm(on: world.clock)
        }
        #expect(world.clock.sleeperCount <= 2)
    }
}

extension VirtualDaemon {
    /// An alarm's time comes, and before it rings its event is taken back and another one set.
    fileprivate func overtakeAlarm(on clock: ManualClock) async {
        set(.removal(DeviceID(adapter: 0, peer: 1)), after: .seconds(1))
        while clock.sleeperCount == 0 { await Task.yield() }
        clock.advance(by: .seconds(1))
        cancel(.removal(DeviceID(adapter: 0, peer: 1)))
        set(.removal(DeviceID(adapter: 1, peer: 0)), after: .seconds(3600))
    }
}
