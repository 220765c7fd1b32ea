import BLEDBus
import Testing
import VirtualBlueZ

@Suite("Connecting", .timeLimit(.minutes(10)))
struct ConnectingTests {
    private static let ball = "hci0/dev_00_AA_01_01_00_01"

    /// A world whose ball is known but no longer advertises, and a `Connect` to it that waits.
    private func connecting() async throws -> (World, Client) {
        let world = try await World()
        let client = try await world.ballFound()
        let body: [Value] = [.objectPath("/ball/advertisement")]
        let member = "UnregisterAdvertisement"
        _ = try await client.call(member, on: .hci1, .advertisingManager, body)
        await client.begin("Connect", on: .ball, .device)
        try await client.upToNow()
        return (world, client)
    }

    @Test func `fails after 40 seconds when nobody advertises`() async throws {
        let (world, client) = try await connecting()
        world.clock.advance(by: .milliseconds(39_999))
        #expect(try await client.upToNow() == [])
        world.clock.advance(by: .milliseconds(1))
        try await client.upTo("error Connect Failed le-connection-abort-by-local")
    }

    @Test func `waits as long as the device is blocked, whose link ends`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        try await client.set("Blocked", of: .device, at: .ball, to: .bool(true))
        let trace = try await client.upToNow().filter { $0.hasPrefix("\(Self.ball) ") }
        #expect(
            trace == [
                "\(Self.ball) Device1 Blocked=true",
                "\(Self.ball) Device1 Connected=false ServicesResolved=false",
            ]
        )
        await client.begin("Connect", on: .ball, .device)
        try await client.settle()
        await world.daemon.passTime(.seconds(39))
        #expect(try await client.upToNow().allSatisfy { !$0.contains("Connect") })
        try await client.set("Blocked", of: .device, at: .ball, to: .bool(false))
        try await client.upTo("return Connect")
    }

    @Test func `is not begun twice`() async throws {
        let (_, client) = try await connecting()
        await #expect(throws: refusal("Failed", "Operation already in progress")) {
            _ = try await client.call("Connect", on: .ball, .device)
        }
    }

    @Test func `is cancelled by Disconnect`() async throws {
        let (_, client) = try await connecting()
        await client.begin("Disconnect", on: .ball, .device)
        #expect(
            try await client.upTo("return Disconnect") == [
                "error Connect Failed br-connection-canceled", "return Disconnect",
            ]
        )
    }

    @Test func `succeeds once the peer advertises`() async throws {
        let (_, client) = try await connecting()
        try await client.advertise(["ServiceUUIDs": .strings([UUIDs.service])])
        try await client.upTo("return Connect")
    }

    @Test func `succeeds once the peer comes near`() async throws {
        let world = try await World()
        let client = try await world.ballFound()
        await world.daemon.simulateProximityChange(.outOfRange, between: 0, and: 1)
        await client.begin("Connect", on: .ball, .device)
        #expect(try await client.upToNow() == [])
        await world.daemon.simulateProximityChange(.far, between: 0, and: 1)
        try await client.upTo("return Connect")
    }

    @Test func `when connected succeeds at once`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        _ = try await client.call("Connect", on: .ball, .device)
        #expect(try await client.upToNow() == [])
    }

    @Test func `fails without power, where Disconnect succeeds`() async throws {
        let world = try await World()
        let client = try await world.ballFound()
        // Others are forgotten.
        try await client.set("Trusted", of: .device, at: .ball, to: .bool(true))
        try await client.set("Powered", of: .adapter, at: .hci0, to: .bool(false))
        await #expect(throws: refusal("Failed", "Input/output error")) {
            _ = try await client.call("Connect", on: .ball, .device)
        }
        _ = try await client.call("Disconnect", on: .ball, .device)
        await #expect(throws: refusal("NotReady", "Resource Not Ready")) {
            _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        }
    }

    @Test func `succeeds also while Disconnect is under way, and StartNotify no longer`()
        async throws
    {
        let world = try await World()
        let client = try await world.ballConnected()
        await client.begin("Disconnect", on: .ball, .device)
        try await client.upToNow()
        _ = try await client.call("Connect", on: .ball, .device)
        await #expect(throws: refusal("NotConnected", "Not Connected")) {
            _ = try await client.call("StartNotify", on: .answer, .characteristic)
        }
        world.clock.advance(by: .seconds(2))
        try await client.upTo("\(Self.ball) Device1 Connected=false")
    }

    @Test func `takes both sides' devices away half a minute after the end`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await world.daemon.simulateDisconnection(between: 0, and: 1)
        try await client.upToNow()
        world.clock.advance(by: .seconds(30))
        try await client.upTo("- \(Self.ball) Device1")
        try await client.upTo("- \(TraceText.path(.asker)) Device1")
    }

    @Test func `ends before a connected device is removed on request`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await client.begin("RemoveDevice", on: .hci0, .adapter, [.objectPath(.ball)])
        try await client.upToNow()
        world.clock.advance(by: .seconds(2))
        let trace = try await client.upTo("- \(Self.ball) Device1")
        #expect(
            trace.prefix(3) == [
                "\(Self.ball) Device1 ServicesResolved=false", "return RemoveDevice",
                "\(Self.ball) Device1 Connected=false",
            ]
        )
    }

    /// Source: BlueZ, src/device.c, `device_remove_connection`.
    @Test(arguments: [true, false])
    func `takes a device along that is to be removed, also when it ends by itself`(
        isReset: Bool
    ) async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        for _ in 0..<2 {
            await client.begin("RemoveDevice", on: .hci0, .adapter, [.objectPath(.ball)])
        }
        try await client.upToNow()
        if isReset {
            await world.daemon.simulateReset(of: 0)
        } else {
            await world.daemon.simulateDisconnection(between: 0, and: 1)
        }
        let trace = try await client.upToNow()
        #expect(trace.filter { $0 == "return RemoveDevice" }.count == 2)
        #expect(trace.last == "- \(Self.ball) Device1")
    }
}
