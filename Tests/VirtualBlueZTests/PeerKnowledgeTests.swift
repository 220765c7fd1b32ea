import BLEDBus
import Testing
import VirtualBlueZ

/// What an adapter knows of a peer from one link to the next, against traces of the originals.
@Suite("What is known of a peer", .timeLimit(.minutes(10)))
struct PeerKnowledgeTests {
    private static let ball = "hci0/dev_00_AA_01_01_00_01 Device1"
    private static let battery = "0000180f-0000-1000-8000-00805f9b34fb"

    /// A client whose ball advertises a service that it does not have, and is connected.
    private func connected(_ world: World) async throws -> Client {
        let client = try await world.client()
        try await client.serve(.ball)
        try await client.register()
        try await client.advertise(["ServiceUUIDs": .strings(["180f"])])
        try await client.find()
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("\(Self.ball) Modalias=\(world.release.modalias)")
        return client
    }

    private func disconnect(_ world: World, _ client: Client) async throws {
        await client.begin("Disconnect", on: .ball, .device)
        try await client.settle()
        await world.daemon.passTime(.seconds(2))
        try await client.upTo("return Disconnect")
        try await client.upToNow()
    }

    /// What is told of the ball while hci0 scans for a moment.
    private func scan(_ client: Client) async throws -> [String] {
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        _ = try await client.call("StopDiscovery", on: .hci0, .adapter)
        return try await client.upToNow().filter { $0.hasPrefix(Self.ball) }
    }

    @Test(arguments: [(.v5_66, false), (.v5_82, true), (.v5_87, true)] as [(BlueZVersion, Bool)])
    func `a service that it only advertises is kept by newer releases`(
        version: BlueZVersion,
        isKept: Bool
    ) async throws {
        let world = try await World(version: version)
        let client = try await connected(world)
        let own = UUIDs.own + [UUIDs.service]
        let all = isKept ? own + [Self.battery] : own
        #expect(
            try await client.property("UUIDs", of: .device, at: .ball) == .strings(all.sorted())
        )
        // Once the services are known, what is advertised is not looked at any more.
        try await disconnect(world, client)
        #expect(try await scan(client).allSatisfy { !$0.contains("UUIDs=") })
    }

    @Test(arguments: [(.v5_66, true), (.v5_82, false), (.v5_87, false)] as [(BlueZVersion, Bool)])
    func `its adapter's name is read again over the next link by 5.66`(
        version: BlueZVersion,
        isReadAgain: Bool
    ) async throws {
        let world = try await World(version: version)
        let client = try await connected(world)
        try await disconnect(world, client)
        let found = try await scan(client)
        #expect(found.contains("\(Self.ball) Alias=8-Ball Name=8-Ball RSSI=-50"))
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("return Connect")
        let name = "\(Self.ball) Alias=BlueZ \(version) Name=BlueZ \(version)"
        #expect(try await client.upToNow().contains(name) == isReadAgain)
    }

    @Test(arguments: BlueZVersion.all)
    func `a service that went over a link is not found by what is advertised`(
        version: BlueZVersion
    ) async throws {
        let world = try await World(version: version)
        let client = try await world.ballConnected()
        let body: [Value] = [.objectPath("/ball")]
        _ = try await client.call("UnregisterApplication", on: .hci1, .gattManager, body)
        try await disconnect(world, client)
        try await client.register()
        try await client.upToNow()
        #expect(try await scan(client).allSatisfy { !$0.contains("UUIDs=") })
        _ = try await client.call("RemoveDevice", on: .hci0, .adapter, [.objectPath(.ball)])
        try await client.find()
        #expect(
            try await client.property("UUIDs", of: .device, at: .ball)
                == .strings([UUIDs.service])
        )
    }

    /// A bus ends the connection of who sends more, and a real bluetoothd with it.
    @Test func `a name and an alias that are too long for a message end the daemon`() async throws {
        let world = try await World()
        let client = try await world.ballFound()
        try await client.watchDaemon()
        let name = String(repeating: "n", count: 17 << 20)
        try await client.set("Alias", of: .adapter, at: .hci1, to: .string(name))
        try await client.upTo("hci1 Adapter1 Alias=\(name)")
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("org.bluez is gone")
        #expect(await !world.daemon.isRunning)
    }

    @Test(arguments: [(.v5_66, true), (.v5_82, true), (.v5_87, false)] as [(BlueZVersion, Bool)])
    func `a central is kept by the newest release`(
        version: BlueZVersion,
        isForgotten: Bool
    ) async throws {
        let world = try await World(version: version)
        let client = try await world.ballConnected()
        try await disconnect(world, client)
        await world.daemon.passTime(.seconds(60))
        let gone = try await client.upToNow()
        #expect(gone.contains("- hci0/dev_00_AA_01_01_00_01 \(world.release.device)"))
        let central = "- hci1/dev_00_AA_01_00_00_00 \(world.release.device)"
        #expect(gone.contains(central) == isForgotten)
    }
}
