import BLEDBus
import Testing
import VirtualBlueZ

@Suite("Subscriptions", .timeLimit(.minutes(10)))
struct SubscriptionTests {
    private static let characteristic = "\(TraceText.path(.answer)) GattCharacteristic1"

    @Test func `belong to clients, each with one`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let other = try await world.client()
        let none = refusal("Failed", "No notify session started")
        await #expect(throws: none) {
            _ = try await other.call("StopNotify", on: .answer, .characteristic)
        }
        for subscriber in [client, client, other] {
            _ = try await subscriber.call("StartNotify", on: .answer, .characteristic)
        }
        _ = try await client.call("StopNotify", on: .answer, .characteristic)
        await #expect(throws: none) {
            _ = try await client.call("StopNotify", on: .answer, .characteristic)
        }
        #expect(
            try await client.property("Notifying", of: .characteristic, at: .answer)
                == .bool(true)
        )
        _ = try await other.call("StopNotify", on: .answer, .characteristic)
        #expect(
            try await client.property("Notifying", of: .characteristic, at: .answer)
                == .bool(false)
        )
        #expect(
            try await client.upToNow() == [
                "call StartNotify", "\(Self.characteristic) Notifying=true",
                "\(Self.characteristic) Notifying=false", "call StopNotify",
            ]
        )
    }

    /// Source: BlueZ, src/gatt-client.c, `characteristic_start_notify`; the scenario `notify_refusals`.
    @Test func `of a client are one, also while it is under way`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let slow = LinkQuality(delay: .milliseconds(20))
        await world.daemon.simulateLinkQuality(slow, between: 0, and: 1)
        for _ in 0..<2 { await client.begin("StartNotify", on: .answer, .characteristic) }
        #expect(try await client.upToNow() == ["return StartNotify"])
        await world.daemon.passTime(.milliseconds(40))
        #expect(
            try await client.upToNow() == [
                "call StartNotify", "\(Self.characteristic) Notifying=true", "return StartNotify",
            ]
        )
        try await client.notify("Once.")
        try await client.upToNow()
        await world.daemon.passTime(.milliseconds(20))
        #expect(try await client.upToNow() == ["\(Self.characteristic) Value=Once."])
    }

    @Test func `outlive the link, and are renewed on the next`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        await world.daemon.simulateDisconnection(between: 0, and: 1)
        await #expect(throws: refusal("InProgress", "In Progress")) {
            _ = try await client.call("StartNotify", on: .answer, .characteristic)
        }
        #expect(
            try await client.property("Notifying", of: .characteristic, at: .answer)
                == .bool(true)
        )
        try await client.upToNow()
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("call StartNotify")
        try await client.upTo("\(TraceText.path(.ball)) Device1 ServicesResolved=true")
        try await client.notify("Still here.")
        try await client.upTo("\(Self.characteristic) Value=Still here.")
    }

    @Test func `tell every notification, also of an equal value`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        try await client.upToNow()
        let texts = (0..<60).map { "Answer \($0 / 2)" }
        for text in texts { try await client.notify(text) }
        try await client.notify("end")
        let trace = try await client.upTo("\(Self.characteristic) Value=end")
        #expect(trace.dropLast() == texts.map { "\(Self.characteristic) Value=\($0)" }[...])
    }

    @Test func `let nothing through without one`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        try await client.notify("To nobody.")
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        try await client.notify("To somebody.")
        let trace = try await client.upTo("\(Self.characteristic) Value=To somebody.")
        #expect(!trace.contains("\(Self.characteristic) Value=To nobody."))
    }

    @Test func `of several centrals are all served`() async throws {
        let world = try await World(adapters: 3)
        let client = try await world.ballConnected()
        try await client.find(from: "/org/bluez/hci2")
        let device: ObjectPath = "/org/bluez/hci2/dev_00_AA_01_01_00_01"
        await client.begin("Connect", on: device, .device)
        try await client.upTo("\(TraceText.path(device)) Device1 Modalias=usb:v1D6Bp0246d0542")
        let second: ObjectPath = "/org/bluez/hci2/dev_00_AA_01_01_00_01/service0015/char0018"
        let secondText = "\(TraceText.path(second)) GattCharacteristic1"
        for path in [ObjectPath.answer, second] {
            _ = try await client.call("StartNotify", on: path, .characteristic)
        }
        try await client.upToNow()
        try await client.notify("To all.")
        _ = try await client.upTo("\(Self.characteristic) Value=To all.")
        _ = try await client.upTo("\(secondText) Value=To all.")
        _ = try await client.call("StopNotify", on: .answer, .characteristic)
        try await client.notify("To the rest.")
        let rest = try await client.upTo("\(secondText) Value=To the rest.")
        #expect(
            rest == ["\(Self.characteristic) Notifying=false", "\(secondText) Value=To the rest."]
        )
        _ = try await client.call("StopNotify", on: second, .characteristic)
        #expect(
            try await client.upToNow() == ["\(secondText) Notifying=false", "call StopNotify"]
        )
    }
}
