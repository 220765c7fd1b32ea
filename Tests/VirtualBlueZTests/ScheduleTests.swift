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

    @Test func `agrees with a list that is searched`() {
        var random = SeededGenerator(seed: 12)
        var schedule = Schedule()
        var list: [(event: Schedule.Event, due: Duration)] = []
        for _ in 0..<20_000 {
            let event = Schedule.Event.deferred(.random(in: 0..<40, using: &random))
            let time = Duration.seconds(.random(in: 0..<30, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                schedule.cancel(event)
                list.removeAll { $0.event == event }
            case 1:
                let first = list.map(\.due).min()
                let index = list.firstIndex { $0.due == first && $0.due <= time }
                #expect(schedule.popDue(at: time) == index.map { list.remove(at: $0).event })
            default:
                schedule.set(event, at: time)
                list.removeAll { $0.event == event }
                list.append((event, time))
            }
            #expect(schedule.next == list.map(\.due).min())
            #expect(schedule.count == list.count)
            #expect(schedule.due(event) == list.first { $0.event == event }?.due)
        }
    }
}
