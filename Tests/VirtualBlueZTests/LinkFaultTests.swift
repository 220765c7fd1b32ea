import BLEDBus
import BLEDBusTesting
import Testing
import VirtualBlueZ

/// Links and what travels over them, when the air is bad.
@Suite("Faults of links", .timeLimit(.minutes(10)))
struct LinkFaultTests {
    private static let ball = "hci0/dev_00_AA_01_01_00_01"
    private static let asker = "hci1/dev_00_AA_01_00_00_00"
    private static let lost = "Device1 Connected=false ServicesResolved=false"
    private static let failed = "error WriteValue Failed Operation failed with ATT error: 0x0e"

    private static func write(_ text: String, by client: Client) async {
        let body: [Value] = [.text(text), .noOptions]
        await client.begin("WriteValue", on: .question, .characteristic, body)
    }

    @Test func `a packet takes the delay each way, and none overtakes another`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        try await client.upToNow()
        let slow = LinkQuality(delay: .milliseconds(20))
        await world.daemon.simulateLinkQuality(slow, between: 0, and: 1)
        await Self.write("Now?", by: client)
        try await client.notify("first")
        #expect(try await client.upToNow() == [])
        world.clock.advance(by: .milliseconds(20))
        let value = "\(Self.ball)/service0015/char0018 GattCharacteristic1 Value=first"
        let trace = try await client.upTo("call WriteValue Now?")
        #expect(Set(trace).isSubset(of: ["call WriteValue Now?", value]))
        try await client.upToNow()
        world.clock.advance(by: .milliseconds(20))
        try await client.upTo("return WriteValue")
    }

    @Test func `where all is lost, the link ends at the supervision time-out`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await world.daemon.simulateLinkQuality(LinkQuality(loss: 1), between: 1, and: 0)
        await Self.write("Now?", by: client)
        #expect(try await client.upToNow() == [])
        world.clock.advance(by: .milliseconds(420))
        #expect(
            try await client.upTo(Self.failed) == [
                "\(Self.ball) \(Self.lost)", "\(Self.asker) \(Self.lost)", Self.failed,
            ]
        )
    }

    @Test func `a lost report is not heard`() async throws {
        let world = try await World()
        let client = try await world.client()
        try await client.serve(.ball)
        try await client.register()
        try await client.advertise(["ServiceUUIDs": .strings([UUIDs.service])])
        await world.daemon.simulateLinkQuality(LinkQuality(loss: 1), between: 1, and: 0)
        let filter = Value.properties(["Transport": .string("le")])
        _ = try await client.call("SetDiscoveryFilter", on: .hci0, .adapter, [filter])
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        await world.daemon.passTime(.seconds(10))
        #expect(try await client.upToNow().contains { $0.contains("dev_") } == false)
        await world.daemon.simulateLinkQuality(.perfect, between: 1, and: 0)
        await world.daemon.passTime(.seconds(1))
        try await client.upTo("+ \(Self.ball) \(world.release.device)")
    }

    @Test func `a path goes out of range and back, step by step`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        try await client.upToNow()
        await world.daemon.simulatePath(
            [
                (after: .seconds(1), proximity: Proximity(rssi: -70)),
                (after: .seconds(2), proximity: .outOfRange),
                (after: .seconds(3), proximity: Proximity(rssi: -40)),
            ],
            between: 0,
            and: 1
        )
        await world.daemon.passTime(.seconds(4))
        let told = try await client.upToNow().filter { $0.hasPrefix("\(Self.ball) Device1 ") }
        var news: [String] = []
        for line in told where line != news.last { news.append(line) }
        #expect(
            news == [
                "\(Self.ball) Device1 RSSI=-50", "\(Self.ball) Device1 RSSI=-70",
                "\(Self.ball) \(Self.lost)", "\(Self.ball) Device1 RSSI=-40",
            ]
        )
    }

    @Test func `a path goes on while the daemon is dead`() async throws {
        let world = try await World()
        let levers = try await VirtualWorld.open(for: world.daemon)
        let client = try await world.client()
        let steps = Value.string("1000:-60 2000:outOfRange 9000:-40")
        _ = try await client.call("SetPath", on: .world, .world, [.uint32(0), .uint32(1), steps])
        _ = try await client.call("Kill", on: .world, .world)
        await levers.passTime(.seconds(5))
        _ = try await client.call("Start", on: .world, .world)
        try await client.serve(.ball)
        try await client.register()
        try await client.advertise(["ServiceUUIDs": .strings([UUIDs.service])])
        let filter = Value.properties(["Transport": .string("le")])
        _ = try await client.call("SetDiscoveryFilter", on: .hci0, .adapter, [filter])
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        await levers.passTime(.seconds(3))
        #expect(try await client.upToNow().contains { $0.contains("dev_") } == false)
        await levers.passTime(.seconds(2))
        try await client.upTo("+ \(Self.ball) \(world.release.device)")
        #expect(try await client.property("RSSI", of: .device, at: .ball) == .int16(-40))
        await levers.close()
    }

    /// Source: captures/silent_peer: 0x0e after 30 s, the link's end 2 s later, then Connect works.
    @Test func `a silent host fails a request after 30 s, and loses its link`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await world.daemon.simulateSilence(of: 1)
        await Self.write("Anyone?", by: client)
        #expect(try await client.upToNow() == [])
        await world.daemon.passTime(.milliseconds(29_999))
        #expect(try await client.upToNow() == [])
        await world.daemon.passTime(.milliseconds(1))
        #expect(try await client.upToNow() == [Self.failed])
        await world.daemon.passTime(.seconds(2))
        #expect(
            try await client.upToNow() == [
                "\(Self.ball) \(Self.lost)", "\(Self.asker) \(Self.lost)",
            ]
        )
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("return Connect")
        await world.daemon.passTime(.seconds(31))
        let resolved = try await client.property("ServicesResolved", of: .device, at: .ball)
        #expect(resolved == .bool(false))
    }

    @Test func `a host that speaks again does what it was asked for`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await world.daemon.simulateSilence(of: 1)
        await Self.write("Anyone?", by: client)
        try await client.upToNow()
        await world.daemon.passTime(.seconds(10))
        await world.daemon.simulateSpeech(of: 1)
        #expect(
            try await client.upTo("return WriteValue") == [
                "call WriteValue Anyone?", "return WriteValue",
            ]
        )
        await world.daemon.passTime(.seconds(60))
        #expect(try await client.property("Connected", of: .device, at: .ball) == .bool(true))
    }

    /// Seen of 5.66, when two hosts had called each other in the same instant.
    @Test(arguments: [true, false])
    func `a link that carries one way only fails a request after 30 s`(
        requestsArrive: Bool
    ) async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let (sender, receiver) = requestsArrive ? (1, 0) : (0, 1)
        await world.daemon.simulateOneWay(from: sender, to: receiver)
        await Self.write("Anyone?", by: client)
        #expect(
            try await client.upToNow() == (requestsArrive ? ["call WriteValue Anyone?"] : [])
        )
        await world.daemon.passTime(.seconds(30))
        #expect(try await client.upToNow() == [Self.failed])
        await world.daemon.simulateOneWay(from: sender, to: receiver, false)
    }

    /// The same, 31 s late on both sides.
    @Test func `services may be resolved late`() async throws {
        let world = try await World()
        let client = try await world.ballFound()
        await world.daemon.simulateResolution(.late(by: .seconds(31)), at: 0, of: 1)
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("return Connect")
        await world.daemon.passTime(.seconds(30))
        var resolved = try await client.property("ServicesResolved", of: .device, at: .ball)
        #expect(resolved == .bool(false))
        await world.daemon.passTime(.seconds(2))
        resolved = try await client.property("ServicesResolved", of: .device, at: .ball)
        #expect(resolved == .bool(true))
    }

    /// Seen of 5.82 and 5.87: nothing but the power helped.
    @Test func `a wedged adapter makes no connection until its power goes`() async throws {
        let world = try await World(version: .v5_82)
        let client = try await world.ballFound()
        await world.daemon.simulateWedge(of: 0)
        for _ in 0..<2 {
            await client.begin("Connect", on: .ball, .device)
            let trace = try await client.upTo("error Connect Failed le-connection-abort-by-local")
            #expect(!trace.contains { $0.contains("Connected=true") })
        }
        await world.daemon.simulatePowerOff(of: 0)
        await world.daemon.simulatePowerOn(of: 0)
        try await client.find()
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("return Connect")
    }

    /// Source: ukBaz/BLE_GATT issue 9: Connected yes, the error, Connected no.
    @Test func `an aborted connection shows for a moment, and the next may work`() async throws {
        let world = try await World(version: .v5_87)
        let client = try await world.ballFound()
        await world.daemon.simulateConnectionAbort(from: 0, to: 1, times: 2)
        for _ in 0..<2 {
            await client.begin("Connect", on: .ball, .device)
            let trace = try await client.upTo("\(Self.ball) Device1 Connected=false")
            #expect(
                trace == [
                    "\(Self.ball) Device1 Connected=true",
                    "error Connect Failed le-connection-abort-by-local",
                    "\(Self.ball) LE1 Disconnected Unknown",
                    "\(Self.ball) Device1 Disconnected Unknown",
                    "\(Self.ball) Device1 Connected=false",
                ]
            )
        }
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("return Connect")
    }
}
