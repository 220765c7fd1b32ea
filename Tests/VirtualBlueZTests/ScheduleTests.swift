import Testing

@testable import VirtualBlueZ

@Suite("Schedule")
struct ScheduleTests {
    private let device = DeviceID(adapter: 0, peer: 1)

    @Test func `pops what is due, earliest first, then first set first`() {
        var schedule = Schedule()
        schedule.set(.removal(device), at: .seconds(30))
        schedule.set(.connection(device), at: .seconds(1))
        schedule.set(.resolution(device), at: .seconds(1))
        #expect(schedule.next == .seconds(1))
        #expect(schedule.popDue(at: .milliseconds(999)) == nil)
        #expect(schedule.popDue(at: .seconds(2)) == .connection(device))
        #expect(schedule.popDue(at: .seconds(2)) == .resolution(device))
        #expect(schedule.popDue(at: .seconds(2)) == nil)
        #expect(schedule.next == .seconds(30))
    }

    @Test func `moves what is set again, and forgets what is cancelled`() {
        var schedule = Schedule()
        schedule.set(.removal(device), at: .seconds(1))
        schedule.set(.removal(device), at: .seconds(3))
        #expect(schedule.popDue(at: .seconds(2)) == nil)
        #expect(schedule.contains(.removal(device)))
        schedule.cancel(.removal(device))
        #expect(!schedule.contains(.removal(device)))
        #expect(schedule.next == nil)
    }
}
