import BLEDBus
import BLEDBusTesting
import Testing
import VirtualBlueZ

/// Another program on the same bus, and what it does to one's own.
@Suite("A foreign client", .timeLimit(.minutes(10)))
struct ForeignClientTests {
    private static let answer =
        "hci0/dev_00_AA_01_01_00_01/service0015/char0018 GattCharacteristic1"

    private func connected(
        _ characteristics: [AppCharacteristic] = .ball
    ) async throws -> (World, Client, ForeignClient) {
        let world = try await World()
        let client = try await world.ballConnected(characteristics)
        return (world, client, try await ForeignClient.open(on: world.bus.address))
    }

    /// Source: P8c of what clients of BlueZ complain about; captures/happy.
    @Test func `its read looks like a notification to others`() async throws {
        let (_, client, stranger) = try await connected()
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        await client.respond(to: "ReadValue", with: .values([.text("read")]))
        try await client.upToNow()
        #expect(
            try await stranger.read(UUIDs.answer, of: 1, with: 0) == Array("read".utf8)
        )
        try await client.upTo("\(Self.answer) Value=read")
        await stranger.leave()
    }

    /// Source: captures/advertising: 5 instances, then NotPermitted.
    @Test func `it takes all advertising slots, and gives them back`() async throws {
        let world = try await World()
        let client = try await world.client()
        try await client.serve(.ball)
        let stranger = try await ForeignClient.open(on: world.bus.address)
        try await stranger.advertise(5, with: 1)
        try await client.upTo("hci1 LEAdvertisingManager1 ActiveInstances=5 SupportedInstances=0")
        await #expect(throws: refusal("NotPermitted", "Maximum advertisements reached")) {
            try await client.advertise(["ServiceUUIDs": .strings([UUIDs.service])])
        }
        await stranger.leave()
        try await client.upTo("hci1 LEAdvertisingManager1 ActiveInstances=0 SupportedInstances=5")
        try await client.advertise(["ServiceUUIDs": .strings([UUIDs.service])], at: "/second")
    }

    /// Source: captures/discovery, connect_faults.
    @Test func `its scan goes on when one's own ends, and it can't end another's`() async throws {
        let (_, client, stranger) = try await connected()
        await #expect(throws: ForeignClientError.self) { try await stranger.stopDiscovery(with: 0) }
        try await stranger.startDiscovery(with: 0)
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        await #expect(throws: (any Error).self) { try await stranger.startDiscovery(with: 0) }
        _ = try await client.call("StopDiscovery", on: .hci0, .adapter)
        #expect(try await client.property("Discovering", of: .adapter, at: .hci0) == .bool(true))
        try await stranger.stopDiscovery(with: 0)
        try await client.upTo("hci0 Adapter1 Discovering=false")
        await stranger.leave()
    }

    /// Source: BlueZ, src/gatt-client.c, `characteristic_start_notify`, `characteristic_stop_notify`;
    /// captures/acquire.
    @Test func `its socket shuts others out, and anybody's StopNotify ends it`() async throws {
        let (_, client, stranger) = try await connected()
        try await stranger.acquireNotify(UUIDs.answer, of: 1, with: 0)
        await #expect(throws: refusal("NotPermitted", "Notify acquired")) {
            _ = try await client.call("StartNotify", on: .answer, .characteristic)
        }
        try await client.upToNow()
        _ = try await client.call("StopNotify", on: .answer, .characteristic)
        try await client.upTo("\(Self.answer) NotifyAcquired=false")
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        await stranger.leave()
    }

    @Test func `its subscription and link are its own`() async throws {
        let (world, client, stranger) = try await connected()
        try await stranger.startNotify(UUIDs.answer, of: 1, with: 0)
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        try await stranger.stopNotify(UUIDs.answer, of: 1, with: 0)
        #expect(
            try await client.property("Notifying", of: .characteristic, at: .answer) == .bool(true)
        )
        let clock = world.clock
        async let end: Void = stranger.disconnect(from: 1, with: 0)
        try await client.upToNow()
        while try await client.property("Connected", of: .device, at: .ball) == .bool(true) {
            clock.advance(by: .seconds(2))
        }
        try await end
        try await stranger.connect(to: 1, with: 0)
        await stranger.leave()
    }

    @Test func `what isn't there is told`() async throws {
        let world = try await World()
        let stranger = try await ForeignClient.open(on: world.bus.address)
        let error = try await #require(throws: ForeignClientError.self) {
            try await stranger.connect(to: 1, with: 0)
        }
        let text = "looking for a Device1 with Address 00:AA:01:01:00:01: there is none"
        #expect(error.description == text)
        await stranger.leave()
    }
}
