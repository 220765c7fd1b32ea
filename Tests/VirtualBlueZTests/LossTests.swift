import BLEDBus
import BLEDBusTesting
import Testing
import VirtualBlueZ

/// What is told when something goes that others use.
@Suite("Losing things", .timeLimit(.minutes(10)))
struct LossTests {
    private static let ball = "hci0/dev_00_AA_01_01_00_01"
    private static let asker = "hci1/dev_00_AA_01_00_00_00"
    private static let lost = "Device1 Connected=false ServicesResolved=false"
    private static let failed = "error WriteValue Failed Operation failed with ATT error: 0x0e"
    private static let servicesGone = [
        "- \(ball)/service0015/char0016 GattCharacteristic1",
        "- \(ball)/service0015/char0018/desc001a GattDescriptor1",
        "- \(ball)/service0015/char0018 GattCharacteristic1",
        "- \(ball)/service0015 GattService1",
        "\(ball) Device1 UUIDs=[\(UUIDs.own.joined(separator: " "))]",
    ]

    /// A world with a client that is subscribed and waits for the reply to a write.
    private func writing() async throws -> (World, Client) {
        let world = try await World()
        let client = try await world.ballConnected()
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        await client.respond(to: "WriteValue", with: .hold)
        let body: [Value] = [.text("Wait for it?"), .noOptions]
        await client.begin("WriteValue", on: .question, .characteristic, body)
        try await client.upTo("call WriteValue Wait for it?")
        return (world, client)
    }

    @Test func `the application unregisters`() async throws {
        let (_, client) = try await writing()
        let body: [Value] = [.objectPath("/ball")]
        await client.begin("UnregisterApplication", on: .hci1, .gattManager, body)
        let trace = try await client.upToNow().filter { !$0.hasPrefix("hci1 Adapter1 UUIDs") }
        let unsupported = "error WriteValue NotSupported Operation is not supported"
        #expect(trace == ["return UnregisterApplication", unsupported] + Self.servicesGone)
        #expect(try await client.property("Connected", of: .device, at: .ball) == .bool(true))
    }

    @Test func `the application's process dies`() async throws {
        let (world, client) = try await writing()
        let central = try await world.client()
        await central.begin("StartNotify", on: .answer, .characteristic)
        try await central.upTo("return StartNotify")
        await client.die()
        let trace = try await central.upTo(Self.servicesGone[4])
        #expect(trace.suffix(5) == Self.servicesGone[...])
        #expect(trace.contains("hci1 LEAdvertisingManager1 ActiveInstances=0 SupportedInstances=5"))
        await #expect(throws: (any Error).self) {
            _ = try await central.call("StartNotify", on: .answer, .characteristic)
        }
    }

    @Test func `the central's process dies`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let central = try await world.client()
        _ = try await central.call("StartNotify", on: .answer, .characteristic)
        try await client.upToNow()
        await central.die()
        let answer = "\(Self.ball)/service0015/char0018 GattCharacteristic1"
        #expect(
            try await client.upTo("call StopNotify") == [
                "\(answer) Notifying=false", "call StopNotify",
            ]
        )
        #expect(try await client.property("Connected", of: .device, at: .ball) == .bool(true))
    }

    @Test func `the peer disconnects`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        try await client.upToNow()
        await client.begin("Disconnect", on: .asker, .device)
        try await client.upToNow()
        world.clock.advance(by: .seconds(2))
        #expect(
            try await client.upTo("call StopNotify") == [
                "\(Self.asker) Device1 ServicesResolved=false", "return Disconnect",
                "\(Self.asker) Device1 Connected=false", "\(Self.ball) \(Self.lost)",
                "call StopNotify",
            ]
        )
        await #expect(throws: refusal("Failed", "Not connected")) {
            let body: [Value] = [.text("Anyone there?"), .noOptions]
            _ = try await client.call("WriteValue", on: .question, .characteristic, body)
        }
        await #expect(throws: refusal("Failed", "Not connected")) {
            _ = try await client.call("ReadValue", on: .answer, .characteristic, [.noOptions])
        }
    }

    @Test func `the link breaks under a write`() async throws {
        let (world, client) = try await writing()
        await world.daemon.simulateDisconnection(between: 0, and: 1)
        #expect(
            try await client.upTo(Self.failed) == [
                "\(Self.ball) \(Self.lost)", "\(Self.asker) \(Self.lost)", "call StopNotify",
                Self.failed,
            ]
        )
    }

    @Test func `the two go out of range`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await world.daemon.simulateProximityChange(.outOfRange, between: 1, and: 0)
        try await client.upTo("\(Self.ball) \(Self.lost)")
        await client.begin("Connect", on: .ball, .device)
        try await client.upToNow()
        world.clock.advance(by: .seconds(40))
        try await client.upTo("error Connect Failed le-connection-abort-by-local")
    }

    @Test func `one's own adapter goes off and on`() async throws {
        let (_, client) = try await writing()
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        try await client.upToNow()
        try await client.set("Powered", of: .adapter, at: .hci0, to: .bool(false))
        #expect(
            try await client.upToNow() == [
                "\(Self.ball) \(Self.lost)", "\(Self.asker) \(Self.lost)", "call StopNotify",
                Self.failed, "\(Self.ball) Device1 -RSSI",
                "hci0 Adapter1 Discovering=false Powered=false",
            ]
        )
        try await client.set("Powered", of: .adapter, at: .hci0, to: .bool(true))
        await #expect(throws: refusal("Failed", "No discovery started")) {
            _ = try await client.call("StopDiscovery", on: .hci0, .adapter)
        }
        _ = try await client.call("Connect", on: .ball, .device)
    }

    @Test func `the remote adapter goes off and on, and serves as before`() async throws {
        let (world, client) = try await writing()
        await world.daemon.simulatePowerOff(of: 1)
        #expect(
            try await client.upTo("hci1 Adapter1 Discovering=false Powered=false") == [
                "\(Self.asker) \(Self.lost)", "\(Self.ball) \(Self.lost)", "call StopNotify",
                Self.failed, "hci1 Adapter1 Discovering=false Powered=false",
            ]
        )
        await client.begin("Connect", on: .ball, .device)
        #expect(try await client.upToNow() == [])
        await world.daemon.simulatePowerOn(of: 1)
        try await client.upTo("return Connect")
        #expect(
            try await client.property("ActiveInstances", of: .advertisingManager, at: .hci1)
                == .byte(1)
        )
    }

    @Test func `an adapter is pulled out and put back`() async throws {
        let (world, client) = try await writing()
        await world.daemon.simulateUnplugging(of: 1)
        let trace = try await client.upTo("- hci1 Adapter1")
        #expect(trace.contains(Self.failed))
        #expect(
            trace.suffix(5) == [
                "- \(Self.asker) Device1", "- hci1 GattManager1 Media1",
                "- hci1 LEAdvertisingManager1",
                "call Release", "- hci1 Adapter1",
            ]
        )
        await #expect(throws: (any Error).self) {
            _ = try await client.call("StartDiscovery", on: .hci1, .adapter)
        }
        await world.daemon.simulatePlugging(of: 1)
        #expect(
            try await client.upTo("+ hci1 LEAdvertisingManager1") == [
                "+ hci1 Adapter1 GattManager1 Media1", "+ \(Self.asker) Device1",
                "+ hci1 LEAdvertisingManager1",
            ]
        )
        try await client.register()
    }

    @Test func `the daemon ends in order`() async throws {
        let (world, client) = try await writing()
        await world.daemon.stop()
        let trace = try await client.upTo("- hci1 Adapter1")
        #expect(trace.prefix(2) == ["\(Self.ball) \(Self.lost)", "\(Self.asker) \(Self.lost)"])
        #expect(trace.contains("call StopNotify"))
        #expect(trace.contains("call Release"))
        #expect(trace.contains("hci0 Adapter1 Discovering=false Powered=false"))
        await #expect(throws: (any Error).self) {
            _ = try await client.property("Powered", of: .adapter, at: .hci0)
        }
    }

    @Test func `the bus is killed, and everything goes on without one`() async throws {
        let (world, client) = try await writing()
        world.bus.stop()
        await #expect(throws: BusError.self) {
            _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        }
        await world.daemon.simulatePowerOff(of: 1)
        await world.daemon.simulateHang()
        await world.daemon.simulateContinuation()
        await world.daemon.passTime(.seconds(60))
        await world.daemon.stop()
        #expect(await !world.daemon.isRunning)
        await #expect(throws: VirtualDaemonError.self) {
            _ = try await VirtualDaemon.start(on: world.bus.address)
        }
    }

    @Test func `the daemon is killed, and another takes its place`() async throws {
        let (world, client) = try await writing()
        await world.daemon.kill()
        let noReply = "Message recipient disconnected from message bus without replying"
        #expect(
            try await client.upTo("error WriteValue NoReply \(noReply)") == [
                "error WriteValue NoReply \(noReply)"
            ]
        )
        let daemon = try await VirtualDaemon.start(on: world.bus.address)
        try await client.upTo("+ hci1 Adapter1 GattManager1 Media1 LEAdvertisingManager1")
        try await client.register()
        await daemon.stop()
    }

    @Test(arguments: [true, false])
    func `a daemon that has ended leaves its name free`(isKilled: Bool) async throws {
        let world = try await World()
        let client = try await Connection.open(BusAddress(world.bus.address))
        let held = world.bus.holdConnections()
        // The next that comes to the bus is who waits until it has dropped the daemon.
        try await client.subscribe(to: MatchRule(member: "NameOwnerChanged")) { _ in held.release()
        }
        if isKilled { await world.daemon.kill() } else { await world.daemon.stop() }
        try await client.requestName("org.bluez")
    }
}
