import BLEDBus
import Testing

@testable import BlueZ

@Suite("The gate of notifications")
struct NotificationGateTests {
    private static let path: ObjectPath = "/answer"

    @Test func `lets through what was subscribed to, also before that is confirmed`() {
        var gate = NotificationGate()
        #expect(gate.admits([1], at: Self.path) == false)
        gate.subscribe(Self.path)
        #expect(gate.admits([1], at: Self.path) == true)
        #expect(!gate.isConfirmed(Self.path))
        gate.confirm(Self.path)
        #expect(gate.isConfirmed(Self.path))
        gate.unsubscribe(Self.path)
        #expect(gate.admits([1], at: Self.path) == false)
        gate.confirm(Self.path)
        #expect(!gate.isConfirmed(Self.path))
    }

    @Test func `stays open while another call waits for the peer to confirm`() {
        var gate = NotificationGate()
        gate.subscribe(Self.path)
        gate.subscribe(Self.path)
        #expect(gate.abandon(Self.path) == false)
        #expect(gate.isSubscribed(Self.path))
        #expect(gate.abandon(Self.path) == true)
        #expect(!gate.isSubscribed(Self.path))
        gate.subscribe(Self.path)
        gate.confirm(Self.path)
        #expect(gate.abandon(Self.path) == false)
        #expect(gate.isConfirmed(Self.path))
    }

    @Test func `leaves out the value that was read`() {
        var gate = NotificationGate()
        gate.subscribe(Self.path)
        gate.beginRead(at: Self.path)
        for value: [UInt8] in [[1], [9], [2], [9]] {
            #expect(gate.admits(value, at: Self.path) == false)
        }
        #expect(gate.endRead(at: Self.path, [9]) == [[1], [9], [2]])
        #expect(gate.admits([9], at: Self.path) == true)
    }

    @Test func `delivers all after a read that failed`() {
        var gate = NotificationGate()
        gate.subscribe(Self.path)
        gate.beginRead(at: Self.path)
        #expect(gate.admits([1], at: Self.path) == false)
        #expect(gate.endRead(at: Self.path, nil) == [[1]])
    }

    @Test func `delivers nothing to who unsubscribed during a read`() {
        var gate = NotificationGate()
        gate.subscribe(Self.path)
        gate.beginRead(at: Self.path)
        #expect(gate.admits([1], at: Self.path) == false)
        gate.unsubscribe(Self.path)
        #expect(gate.endRead(at: Self.path, [2]).isEmpty)
    }
}
