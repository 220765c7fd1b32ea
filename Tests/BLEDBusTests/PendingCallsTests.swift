import Testing

@testable import BLEDBus

@Suite("Pending calls")
struct PendingCallsTests {
    private final class Log {
        var entries: [String] = []
    }

    private let log = Log()
    private let target = PendingCalls.Target(member: "M", path: "/p", destination: "d.e")

    private func completion(_ name: String) -> PendingCalls.Completion {
        { [log] result in
            switch result {
            case .success: log.entries.append("\(name) replied")
            case .failure(let error): log.entries.append("\(name) \(error)")
            }
        }
    }

    @Test func `get their replies in any order, each once`() throws {
        var calls = PendingCalls()
        let now = ContinuousClock.now
        calls.add(1, until: now + .seconds(1), of: target, completion("1"))
        calls.add(2, until: now + .seconds(1), of: target, completion("2"))
        let reply = try Message.signal(from: "/", "a.b", "C")
        calls.remove(2)?(.success(reply))
        calls.remove(1)?(.success(reply))
        #expect(calls.remove(1) == nil)
        #expect(log.entries == ["2 replied", "1 replied"])
    }

    @Test func `end when their time is over, and say what was called`() {
        var calls = PendingCalls()
        let now = ContinuousClock.now
        calls.add(1, until: now + .seconds(3), of: target, completion("1"))
        calls.add(2, until: now + .seconds(1), of: target, completion("2"))
        #expect(calls.nextDeadline == now + .seconds(1))
        #expect(calls.removeExpired(at: now).isEmpty)
        for call in calls.removeExpired(at: now + .seconds(1)) {
            #expect(call.serial == 2)
            call.completion?(.failure(call.error))
        }
        #expect(log.entries == ["2 M on /p of d.e: no reply in time"])
        #expect(calls.nextDeadline == now + .seconds(3))
        #expect(calls.count == 1)
    }

    @Test func `have their time also when nobody waits for the reply any longer`() {
        var calls = PendingCalls()
        let now = ContinuousClock.now
        calls.add(1, until: now + .seconds(1), of: target, completion("1"))
        calls.abandon(1)?(.failure(CancellationError()))
        #expect(!calls.contains(1))
        #expect(calls.abandon(1) == nil)
        let expired = calls.removeExpired(at: now + .seconds(1))
        #expect(expired.map(\.serial) == [1])
        for call in expired { call.completion?(.failure(call.error)) }
        #expect(log.entries.count == 1)
    }

    @Test func `all end in the order in which they were sent`() {
        var calls = PendingCalls()
        for serial in [3, 1, 2] as [UInt32] {
            calls.add(serial, until: .now, of: target, completion("\(serial)"))
        }
        for completion in calls.removeAll() { completion(.failure(CancellationError())) }
        #expect(log.entries.map { $0.prefix(1) } == ["1", "2", "3"])
        #expect(calls.nextDeadline == nil)
    }
}
