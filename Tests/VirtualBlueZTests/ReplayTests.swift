import BLEDBus
import BLEDBusTesting
import Testing

@testable import VirtualBlueZ

/// Runs that come again, worlds that never meet, and time that passes in no time.
@Suite("Worlds of one's own", .timeLimit(.minutes(10)))
struct ReplayTests {
    /// What a client hears while it asks over a bad link, for a minute.
    private func run(seed: UInt64) async throws -> [String] {
        let world = try await World(seed: seed)
        let client = try await world.ballConnected()
        let daemon = world.daemon
        await daemon.simulateLinkQuality(LinkQuality(loss: 0.4), between: 0, and: 1)
        await daemon.simulateNotificationFault(.doubled, at: 0, from: 1, times: 3)
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        await client.begin("StartNotify", on: .answer, .characteristic)
        try await client.settle()
        for number in 0..<12 {
            await client.begin(
                "WriteValue",
                on: .question,
                .characteristic,
                [.text("Number \(number)?"), .noOptions]
            )
            // A program that does two things at once is not the same each time either.
            try await client.settle()
            try await client.notify("\(number)")
            try await client.settle()
            try await daemon.passTime(.seconds(5)) { try await client.settle() }
            if try await client.property("Connected", of: .device, at: .ball) == .bool(false) {
                await client.begin("Connect", on: .ball, .device)
                try await client.settle()
                try await daemon.passTime(.zero) { try await client.settle() }
            }
        }
        try await client.settle()
        return await client.wholeTrace
    }

    @Test func `the same seed and the same faults make the same messages`() async throws {
        let first = try await run(seed: 7)
        let second = try await run(seed: 7)
        let difference = zip(first, second).first { $0 != $1 }
        #expect(second == first, "\(difference.map { "\($0)" } ?? "longer")")
        #expect(try await run(seed: 8) != first)
        #expect(first.count > 100)
    }

    @Test func `a seed is one's own or another each time, and can be asked for`() async throws {
        let world = try await World(seed: 42)
        #expect(world.daemon.seed == 42)
        let bus = try await PrivateBus.start()
        let one = try await VirtualDaemon.start(on: bus.address)
        #expect(one.seed != world.daemon.seed)
        await one.stop()
        let levers = try await VirtualWorld.open(for: world.daemon)
        let client = try await world.client()
        let message = try Message.methodCall(
            to: "VirtualBlueZ.World",
            at: .world,
            "org.freedesktop.DBus.Properties",
            "GetAll",
            [.string("VirtualBlueZ.World1")]
        )
        let properties = try await client.connection.call(message).body().first?.properties
        #expect(properties == ["Seed": .uint64(42)])
        await levers.close()
    }

    @Test func `two worlds of one process never meet`() async throws {
        let (one, other) = (try await World(), try await World(version: .v5_87))
        let client = try await one.ballConnected()
        let stranger = try await other.client()
        let faults = try await VirtualWorld.open(for: other.daemon)
        _ = try await stranger.call("StartDiscovery", on: .hci0, .adapter)
        await other.daemon.simulateCallFault(.inProgress, on: "org.bluez.Device1.Connect")
        await other.daemon.passTime(.seconds(60))
        #expect(try await stranger.upToNow().contains { $0.contains("dev_") } == false)
        let levers: [(String, [Value])] = [("Kill", []), ("Start", []), ("Unplug", [.uint32(0)])]
        for (lever, body) in levers {
            _ = try await stranger.call(lever, on: .world, .world, body)
        }
        #expect(one.clock.now.sinceStart == .zero)
        #expect(try await client.upToNow() == [])
        await client.begin("Connect", on: .ball, .device)
        #expect(try await client.upToNow() == ["return Connect"])
        await faults.close()
    }

    @Test func `a day of reports leaves nothing behind`() async throws {
        let world = try await World(timing: Timing(advertisingInterval: .seconds(20)))
        let client = try await world.ballFound()
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        try await client.upToNow()
        let rssi = "hci0/dev_00_AA_01_01_00_01 Device1 RSSI=-50"
        await world.daemon.passTime(.seconds(3600))
        #expect(try await client.upToNow() == Array(repeating: rssi, count: 180))
        let size = await world.daemon.pendingCount
        for _ in 0..<23 {
            await world.daemon.passTime(.seconds(3600))
            #expect(try await client.upToNow().count == 180)
            await client.forget()
        }
        #expect(await world.daemon.pendingCount == size)
        #expect(world.clock.now.sinceStart == .seconds(24 * 3600))
    }

    @Test func `a device that falls silent is forgotten at its time`() async throws {
        let world = try await World()
        let client = try await world.ballFound()
        await world.daemon.simulatePowerOff(of: 1)
        try await client.upToNow()
        await world.daemon.passTime(.seconds(3600))
        let gone = "- hci0/dev_00_AA_01_01_00_01 \(world.release.device)"
        #expect(try await client.upToNow() == [gone])
    }
}
