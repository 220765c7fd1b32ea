import BLEDBus
import BLEDBusTesting
import Testing
import VirtualBlueZ

/// A daemon that hangs, as by SIGSTOP, and goes on.
@Suite("A daemon that hangs", .timeLimit(.minutes(10)))
struct HangTests {
    private static let ball = "hci0/dev_00_AA_01_01_00_01"
    private static let lost = "\(ball) Device1 Connected=false ServicesResolved=false"

    @Test func `it keeps its name, answers nothing, and then all in order`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        try await client.watchDaemon()
        await world.daemon.simulateHang()
        await client.begin("StartDiscovery", on: .hci0, .adapter)
        await client.begin("Ping", on: .hci0, .peer)
        await client.begin("StopDiscovery", on: .hci0, .adapter)
        #expect(try await client.upToBus() == [])
        await world.daemon.simulateContinuation()
        #expect(
            try await client.upTo("hci0 Adapter1 Discovering=false").filter {
                !$0.contains("RSSI")
            } == [
                "return StartDiscovery", "hci0 Adapter1 Discovering=true", "return Ping",
                "return StopDiscovery", "hci0 Adapter1 Discovering=false",
            ]
        )
    }

    @Test func `what happens meanwhile, and what becomes due, is told afterwards`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("return Connect")
        await client.begin("Disconnect", on: .ball, .device)
        try await client.upToNow()
        await world.daemon.simulateHang()
        world.clock.advance(by: .seconds(60))
        await world.daemon.simulatePowerOff(of: 1)
        #expect(try await client.upToBus() == [])
        await world.daemon.simulateContinuation()
        let trace = try await client.upTo("hci1 Adapter1 Discovering=false Powered=false")
        #expect(trace.contains(Self.lost))
        #expect(trace.contains("return Disconnect"))
    }

    @Test func `time passes beside it, and it sees so afterwards`() async throws {
        let world = try await World()
        let levers = try await VirtualWorld.open(for: world.daemon)
        let client = try await world.ballConnected()
        await client.begin("Disconnect", on: .ball, .device)
        try await client.upToNow()
        _ = try await client.call("Hang", on: .world, .world)
        _ = try await client.call("PassTime", on: .world, .world, [.uint32(60_000)])
        #expect(world.clock.now.sinceStart == .seconds(60))
        #expect(try await client.upToBus() == [])
        _ = try await client.call("Continue", on: .world, .world)
        #expect(try await client.upToNow().contains("return Disconnect"))
        await levers.close()
    }

    @Test func `one that hangs can be killed, and can end in order`() async throws {
        for kills in [true, false] {
            let world = try await World()
            let client = try await world.ballConnected()
            try await client.watchDaemon()
            await world.daemon.simulateHang()
            if kills { await world.daemon.kill() } else { await world.daemon.stop() }
            let trace = try await client.upTo("org.bluez is gone")
            #expect(trace.contains(Self.lost) != kills)
        }
    }

    @Test func `levers work on one that hangs`() async throws {
        let world = try await World()
        let levers = try await VirtualWorld.open(for: world.daemon)
        let client = try await world.ballConnected()
        await client.begin("Hang", on: .world, .world)
        try await client.upTo("return Hang")
        await client.begin("Hang", on: .world, .world)
        try await client.upTo("error Hang Failed bluetoothd hangs already")
        await client.begin("Disconnect", on: .world, .world, [.uint32(0), .uint32(1)])
        try await client.upTo("return Disconnect")
        #expect(try await client.upToBus() == [])
        await client.begin("Continue", on: .world, .world)
        #expect(try await client.upTo("return Continue").contains(Self.lost))
        await levers.close()
    }
}
