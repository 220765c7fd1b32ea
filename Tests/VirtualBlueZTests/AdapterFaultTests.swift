import BLEDBus
import BLEDBusTesting
import Testing
import VirtualBlueZ

/// Adapters that are blocked, reset, or come back under another name.
@Suite("Faults of adapters", .timeLimit(.minutes(10)))
struct AdapterFaultTests {
    private static let ball = "hci0/dev_00_AA_01_01_00_01"
    private static let asker = "hci1/dev_00_AA_01_00_00_00"
    private static let lost = "Device1 Connected=false ServicesResolved=false"

    /// Source: seen of 5.82 on Linux 6.1; BlueZ, src/adapter.c, `btd_adapter_set_blocked`,
    /// `property_set_mode_complete`, `btd_adapter_restore_powered`; src/rfkill.c, `rfkill_event`.
    @Test(arguments: [(BlueZVersion.v5_66, false), (.v5_82, true)])
    func `a blocked adapter can't be turned on until it is no longer blocked`(
        version: BlueZVersion,
        hasState: Bool
    ) async throws {
        let world = try await World(version: version)
        let client = try await world.ballConnected()
        await world.daemon.simulateBlock(of: 0)
        let state = hasState ? " PowerState=off-blocked" : ""
        let off = "hci0 Adapter1 Discovering=false\(state) Powered=false"
        let trace = try await client.upTo(
            hasState
                ? "hci0 Adapter1 Discovering=false PowerState=off-blocked Powered=false" : off
        )
        #expect(trace.contains("\(Self.ball) \(Self.lost)"))
        await #expect(throws: refusal("Failed", "Failed")) {
            try await client.set("Powered", of: .adapter, at: .hci0, to: .bool(true))
        }
        await #expect(throws: refusal("NotReady", "Resource Not Ready")) {
            _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        }
        try await client.upToNow()
        await world.daemon.simulateUnblock(of: 0)
        let on =
            hasState
            ? [
                "hci0 Adapter1 PowerState=off-enabling",
                "hci0 Adapter1 PowerState=on Powered=true",
            ] : ["hci0 Adapter1 Powered=true"]
        #expect(try await client.upToNow() == on)
    }

    @Test func `a block outlasts the daemon and the plug`() async throws {
        let world = try await World(version: .v5_82)
        let levers = try await VirtualWorld.open(for: world.daemon)
        let client = try await world.client()
        for (lever, number) in [
            ("Block", 1), ("Unplug", 1), ("Plug", 1), ("Kill", 0), ("Start", 0),
        ] {
            let body: [Value] = ["Kill", "Start"].contains(lever) ? [] : [.uint32(UInt32(number))]
            _ = try await client.call(lever, on: .world, .world, body)
        }
        for (adapter, powered, state) in [
            (ObjectPath.hci0, true, "on"), (.hci1, false, "off-blocked"),
        ] {
            #expect(
                try await client.property("Powered", of: .adapter, at: adapter) == .bool(powered)
            )
            #expect(
                try await client.property("PowerState", of: .adapter, at: adapter) == .string(state)
            )
        }
        _ = try await client.call("Unblock", on: .world, .world, [.uint32(1)])
        #expect(try await client.property("Powered", of: .adapter, at: .hci1) == .bool(true))
        await levers.close()
    }

    @Test func `an adapter comes back under another name with its address`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await world.daemon.simulateUnplugging(of: 0)
        await world.daemon.simulatePlugging(of: 0, as: 1)
        try await client.upTo("- hci0 Adapter1 GattManager1 Media1 LEAdvertisingManager1")
        #expect(try await client.upToNow() == [], "hci1 is there")
        await world.daemon.simulatePlugging(of: 0, as: 7)
        let trace = try await client.upTo("+ hci7 LEAdvertisingManager1")
        #expect(trace.contains("+ hci7 Adapter1 GattManager1 Media1"))
        #expect(trace.contains("+ hci7/dev_00_AA_01_01_00_01 Device1"))
        let address = try await client.property("Address", of: .adapter, at: "/org/bluez/hci7")
        #expect(address == .string("00:AA:01:00:00:00"))
        let device: ObjectPath = "/org/bluez/hci7/dev_00_AA_01_01_00_01"
        await client.begin("Connect", on: device, .device)
        try await client.upTo("\(Self.asker) Device1 Connected=true")
        await world.daemon.simulateUnplugging(of: 0)
        await world.daemon.simulatePlugging(of: 0)
        try await client.upTo("+ hci0 LEAdvertisingManager1")
    }

    /// Source: NordicSemiconductor/IOS-CoreBluetooth-Mock, `simulateReset`; captures/silent_peer for
    /// how a lost link is told.
    @Test func `a reset peer is connected until the supervision time-out`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        try await client.upToNow()
        await world.daemon.simulateReset(of: 1)
        #expect(
            try await client.upTo("call StopNotify") == [
                "\(Self.asker) \(Self.lost)", "call StopNotify",
            ]
        )
        let body: [Value] = [.text("Anyone there?"), .noOptions]
        await client.begin("WriteValue", on: .question, .characteristic, body)
        try await client.notify("Yes")
        #expect(try await client.upToNow() == [])
        world.clock.advance(by: .milliseconds(420))
        let failed = "error WriteValue Failed Operation failed with ATT error: 0x0e"
        #expect(try await client.upTo(failed) == ["\(Self.ball) \(Self.lost)", failed])
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("return Connect")
    }

    /// Source: captures/silent_peer, captures/5.87/silent_peer.
    @Test(arguments: [BlueZVersion.v5_66, .v5_87])
    func `a dead link ends at the supervision time-out`(version: BlueZVersion) async throws {
        let world = try await World(version: version)
        let client = try await world.ballConnected()
        await world.daemon.simulateLinkLoss(between: 0, and: 1)
        #expect(try await client.upToNow() == [])
        world.clock.advance(by: .milliseconds(420))
        let end =
            version == .v5_66
            ? ["\(Self.ball) \(Self.lost)"]
            : [
                "\(Self.ball) Device1 ServicesResolved=false",
                "\(Self.ball) LE1 Disconnected Timeout",
                "\(Self.ball) Device1 Disconnected Timeout",
                "\(Self.ball) Device1 Connected=false",
            ]
        #expect(try await client.upTo(end[end.endIndex - 1]) == end)
    }

    @Test func `a write that the application has when the link goes dead kills the daemon`()
        async throws
    {
        let world = try await World()
        let client = try await world.ballConnected()
        try await client.watchDaemon()
        await client.respond(to: "WriteValue", with: .hold)
        let body: [Value] = [.text("Wait?"), .noOptions]
        await client.begin("WriteValue", on: .question, .characteristic, body)
        try await client.upTo("call WriteValue Wait?")
        await world.daemon.simulateLinkLoss(between: 0, and: 1)
        world.clock.advance(by: .milliseconds(420))
        try await client.upTo("error WriteValue Failed Operation failed with ATT error: 0x0e")
        world.clock.advance(by: .seconds(5))
        try await client.upTo("org.bluez is gone")
    }
}
