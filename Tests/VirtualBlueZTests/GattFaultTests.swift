import BLEDBus
import BLEDBusTesting
import Testing
import VirtualBlueZ

/// Services, notifications and devices that are not as a client expects.
@Suite("Faults of services and notifications", .timeLimit(.minutes(10)))
struct GattFaultTests {
    private static let ball = "hci0/dev_00_AA_01_01_00_01"
    private static let answer = "\(ball)/service0015/char0018 GattCharacteristic1"
    private static let resolved = "\(ball) Device1 ServicesResolved=true"

    /// Source: bluez/bluez issue 1489.
    @Test func `services are resolved before there are objects`() async throws {
        let world = try await World()
        let client = try await world.ballFound()
        await world.daemon.simulateResolution(.early, at: 0, of: 1)
        await client.begin("Connect", on: .ball, .device)
        let trace = try await client.upTo("+ \(Self.ball)/service0015 GattService1")
        let isResolved = trace.firstIndex { $0.hasPrefix(Self.resolved) }
        let service = trace.firstIndex { $0.contains("/service") && $0.hasPrefix("+ hci0") }
        #expect(try #require(isResolved) < (try #require(service)))
        try await client.upTo("+ \(Self.answer)")
    }

    @Test func `services are never resolved, and on the next link they are`() async throws {
        let world = try await World()
        let client = try await world.ballFound()
        await world.daemon.simulateResolution(.never, at: 0, of: 1)
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("return Connect")
        await world.daemon.passTime(.seconds(60))
        let trace = try await client.upToNow()
        #expect(!trace.contains { $0.contains("hci0/dev") && $0.contains("ServicesResolved") })
        await world.daemon.simulateDisconnection(between: 0, and: 1)
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("+ \(Self.answer)")
    }

    @Test func `services that are resolved late are so on their link alone`() async throws {
        let world = try await World()
        let client = try await world.ballFound()
        let daemon = world.daemon
        await daemon.simulateResolution(.late(by: .seconds(5)), at: 0, of: 1)
        await daemon.simulateResolution(.never, at: 0, of: 1)
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("return Connect")
        await daemon.passTime(.seconds(1))
        await daemon.simulateDisconnection(between: 0, and: 1)
        try await client.upToNow()
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("return Connect")
        await daemon.passTime(.seconds(10))
        let trace = try await client.upToNow()
        #expect(!trace.contains { $0.contains("hci0/dev") && $0.contains("ServicesResolved") })
    }

    /// Source: captures/unregister_app, for the order and the error of a pending write.
    @Test func `a service goes and comes back elsewhere while the link stays`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await client.respond(to: "WriteValue", with: .hold)
        let body: [Value] = [.text("Wait?"), .noOptions]
        await client.begin("WriteValue", on: .question, .characteristic, body)
        try await client.upTo("call WriteValue Wait?")
        let daemon = world.daemon
        await daemon.simulateServiceChange(of: 1, removing: [UUIDs.service])
        #expect(
            try await client.upToNow() == [
                "error WriteValue NotSupported Operation is not supported",
                "- \(Self.ball)/service0015/char0016 GattCharacteristic1",
                "- \(Self.ball)/service0015/char0018/desc001a GattDescriptor1",
                "- \(Self.answer)", "- \(Self.ball)/service0015 GattService1",
                "\(Self.ball) Device1 UUIDs=[\(UUIDs.own.joined(separator: " "))]",
            ]
        )
        await daemon.simulateServiceChange(of: 1, restoring: [UUIDs.service])
        let trace = try await client.upToNow()
        #expect(trace.first?.contains(UUIDs.service.lowercased()) == true)
        #expect(trace.contains("+ \(Self.ball)/service001b GattService1"))
        #expect(try await client.property("Connected", of: .device, at: .ball) == .bool(true))
    }

    @Test func `objects of a service that went unsaid are stale`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let daemon = world.daemon
        await daemon.simulateServiceChange(of: 1, removing: [UUIDs.service], tellsPeers: false)
        #expect(try await client.upToNow() == [])
        let body: [Value] = [.text("Now?"), .noOptions]
        await #expect(throws: refusal("Failed", "Operation failed with ATT error: 0x01")) {
            _ = try await client.call("WriteValue", on: .question, .characteristic, body)
        }
        await #expect(throws: refusal("Failed", "Operation failed with ATT error: 0x01")) {
            _ = try await client.call("ReadValue", on: .answer, .characteristic, [.noOptions])
        }
        await world.daemon.simulateDisconnection(between: 0, and: 1)
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("- \(Self.ball)/service0015 GattService1")
    }

    @Test func `handles that were stale are not when they are given again`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let daemon = world.daemon
        await daemon.simulateServiceChange(of: 1, removing: [UUIDs.service], tellsPeers: false)
        try await client.unregister()
        await daemon.simulateServiceChange(of: 1, restoring: [UUIDs.service])
        try await client.serve(.ball, handle: 0x15)
        try await client.register()
        #expect(try await client.upToNow().contains("+ \(Self.answer)"))
        let value = try await client.call("ReadValue", on: .answer, .characteristic, [.noOptions])
        #expect(value == [.text("Ask again later.")])
    }

    /// Source: P5 of what clients of BlueZ complain about, a stale cache.
    @Test func `services are kept over connections, until the device is forgotten`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let daemon = world.daemon
        await daemon.simulateKeptServices(of: 1, by: 0)
        await daemon.simulateServiceChange(of: 1, removing: [UUIDs.service])
        await daemon.simulateServiceChange(of: 1, restoring: [UUIDs.service])
        #expect(try await client.upToNow() == [])
        await daemon.simulateDisconnection(between: 0, and: 1)
        try await client.upToNow()
        await client.begin("Connect", on: .ball, .device)
        let trace = try await client.upTo(Self.resolved)
        #expect(!trace.contains { $0.contains("service001b") })
        await #expect(throws: refusal("Failed", "Operation failed with ATT error: 0x01")) {
            _ = try await client.call("ReadValue", on: .answer, .characteristic, [.noOptions])
        }
        await daemon.simulateRemoval(of: 1, from: 0)
        try await client.upTo("- \(Self.ball) \(world.release.device)")
        try await client.find()
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("+ \(Self.ball)/service001b GattService1")
    }

    @Test func `notifications are lost, doubled and late`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        try await client.upToNow()
        let daemon = world.daemon
        await daemon.simulateNotificationFault(.lost, at: 0, from: 1)
        await daemon.simulateNotificationFault(.doubled, at: 0, from: 1)
        await daemon.simulateNotificationFault(.late(by: .seconds(2)), at: 0, from: 1)
        for text in ["1", "2", "3", "4"] { try await client.notify(text) }
        let values = ["2", "2", "4"].map { "\(Self.answer) Value=\($0)" }
        #expect(try await client.upTo(values[2]) == values)
        world.clock.advance(by: .seconds(2))
        try await client.upTo("\(Self.answer) Value=3")
    }

    @Test func `a late notification ends with its link`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        let daemon = world.daemon
        await daemon.simulateNotificationFault(.late(by: .seconds(2)), at: 0, from: 1)
        try await client.notify("of the last link")
        try await client.upToNow()
        await daemon.simulateDisconnection(between: 0, and: 1)
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo(Self.resolved)
        await daemon.passTime(.seconds(2))
        try await client.notify("of this one")
        let trace = try await client.upTo("\(Self.answer) Value=of this one")
        #expect(!trace.contains("\(Self.answer) Value=of the last link"))
    }

    @Test func `notifications are lost however often that is wanted`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        await world.daemon.simulateNotificationFault(.lost, at: 0, from: 1, times: .max)
        try await client.upToNow()
        for text in ["1", "2", "3"] { try await client.notify(text) }
        #expect(try await client.upToNow() == [])
    }

    /// Source: BlueZ, src/adapter.c, `discovery_cleanup`.
    @Test func `a device is gone when its scan is over`() async throws {
        let world = try await World()
        let client = try await world.client()
        try await client.serve(.ball)
        try await client.register()
        try await client.advertise(["ServiceUUIDs": .strings([UUIDs.service])])
        await world.daemon.simulateForgetting(by: 0)
        try await client.find()
        await client.begin("Connect", on: .ball, .device)
        let unknown = """
            error Connect UnknownObject Method "Connect" with signature "" on interface \
            "org.bluez.Device1" doesn't exist

            """
        try await client.upTo(unknown)
        await world.daemon.simulateForgetting(by: 0, false)
        try await client.find()
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("return Connect")
        await world.daemon.simulateRemoval(of: 1, from: 0)
        try await client.upTo("- \(Self.ball) \(world.release.device)")
    }
}
