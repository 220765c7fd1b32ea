import Testing

@testable import BLEDBus

@Suite("A call window")
struct CallWindowTests {
    @Test func `keeps calls beyond 100 in order, and forgets those given up`() throws {
        var window = CallWindow()
        let call = try Message.methodCall(to: "a.b", at: "/", "a.b", "C")
        let admitted = try (1...104 as ClosedRange<UInt32>).map {
            try window.admits(call, serial: $0)
        }
        #expect(admitted == Array(repeating: true, count: 100) + Array(repeating: false, count: 4))
        let second = window.replied { $0 != 101 }
        #expect(second?.serial == 102)
        let isAdmitted = try window.admits(call, serial: 105)
        #expect(!isAdmitted)
        let third = window.replied { _ in true }
        #expect(third?.serial == 103)
        let nobody = window.replied { _ in false }
        #expect(nobody == nil)
        let isAdmittedAgain = try window.admits(call, serial: 106)
        #expect(isAdmittedAgain)
    }

    @Test func `refuses what it can't keep`() throws {
        var window = CallWindow()
        let call = try Message.methodCall(to: "a.b", at: "/", "a.b", "C")
        let room = UInt32(100 + CallWindow.maximumWaitingCount)
        for serial in 1...room { _ = try window.admits(call, serial: serial) }
        let error = #expect(throws: BusError.self) { try window.admits(call, serial: room + 1) }
        #expect(error?.code == .overflow)
        #expect(error?.message.contains("4096 calls are waiting") == true)
        _ = window.replied { _ in true }
        let isSent = try window.admits(call, serial: room + 2)
        #expect(!isSent)
    }
}
