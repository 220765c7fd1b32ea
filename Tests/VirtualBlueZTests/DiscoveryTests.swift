import BLEDBus
import Testing
import VirtualBlueZ

@Suite("Discovery", .timeLimit(.minutes(10)))
struct DiscoveryTests {
    private static let ball = "hci0/dev_00_AA_01_01_00_01"

    @Test func `is started once by each client, and ended by who started it`() async throws {
        let world = try await World()
        let client = try await world.client()
        let other = try await world.client()
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        await #expect(throws: refusal("InProgress", "Operation already in progress")) {
            _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        }
        let none = refusal("Failed", "No discovery started")
        await #expect(throws: none) {
            _ = try await other.call("StopDiscovery", on: .hci0, .adapter)
        }
        _ = try await client.call("StopDiscovery", on: .hci0, .adapter)
        await #expect(throws: none) {
            _ = try await client.call("StopDiscovery", on: .hci0, .adapter)
        }
        #expect(
            try await client.upToNow() == [
                "hci0 Adapter1 Discovering=true", "hci0 Adapter1 Discovering=false",
            ]
        )
    }

    @Test func `of clients that start it at once gives its reply to the last`() async throws {
        let pause = Duration.milliseconds(10)
        let world = try await World(startingDiscovery: pause)
        let early = try await world.client()
        let late = try await world.client()
        for client in [early, late] {
            await client.begin("StartDiscovery", on: .hci0, .adapter)
            #expect(try await client.upToNow() == [])
        }
        await world.daemon.passTime(pause)
        #expect(
            try await late.upToNow() == ["return StartDiscovery", "hci0 Adapter1 Discovering=true"]
        )
        #expect(try await early.upToNow() == ["hci0 Adapter1 Discovering=true"])
        for member in ["StopDiscovery", "StartDiscovery"] {
            await #expect(throws: refusal("InProgress", "Operation already in progress")) {
                _ = try await early.call(member, on: .hci0, .adapter)
            }
        }
        _ = try await late.call("StopDiscovery", on: .hci0, .adapter)
        #expect(try await late.upToNow() == [])
        await early.die()
        #expect(try await late.upTo("hci0 Adapter1 Discovering=false").count == 1)
    }

    @Test func `tells of nobody together with its reply`() async throws {
        let range = Duration.milliseconds(2) ... .milliseconds(80)
        let world = try await World(firstReport: range, seed: 3)
        let client = try await world.client()
        try await client.serve(.ball)
        try await client.register()
        try await client.advertise(["ServiceUUIDs": .strings([UUIDs.service])])
        _ = try await client.upToNow()
        let filter = Value.properties(["Transport": .string("le")])
        _ = try await client.call("SetDiscoveryFilter", on: .hci0, .adapter, [filter])
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        let told = { (lines: [String]) in lines.contains { $0.contains(Self.ball) } }
        #expect(try await !told(client.upToNow()))
        await world.daemon.passTime(range.lowerBound)
        #expect(try await !told(client.upToNow()))
        await world.daemon.passTime(range.upperBound)
        #expect(try await told(client.upToNow()))
    }

    /// Source: BlueZ, src/adapter.c, `remove_discovery_list`; the scenario `discovery_without_power`.
    @Test func `has no filter any more once the adapter was off`() async throws {
        let world = try await World()
        let client = try await world.ballFound()
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        let before = try await client.upToNow()
        #expect(before.contains { $0.hasPrefix("\(Self.ball) Device1 RSSI=") })
        await world.daemon.simulatePowerOff(of: 0)
        await world.daemon.simulatePowerOn(of: 0)
        try await client.upToNow()
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        #expect(try await client.upToNow() == ["hci0 Adapter1 Discovering=true"])
    }

    @Test func `that has not begun fails as the adapter goes off`() async throws {
        let world = try await World(startingDiscovery: .milliseconds(10))
        let client = try await world.client()
        await client.begin("StartDiscovery", on: .hci0, .adapter)
        try await client.set("Powered", of: .adapter, at: .hci0, to: .bool(false))
        #expect(
            try await client.upToNow().first
                == "error StartDiscovery InProgress Operation already in progress"
        )
        await world.daemon.passTime(.seconds(1))
        #expect(try await !client.upToNow().contains("hci0 Adapter1 Discovering=true"))
    }

    @Test(
        arguments: [
            ["Transport": .string("nonsense")], ["UUIDs": .strings(["nonsense"])],
            ["Nonsense": .bool(true)], ["RSSI": .int16(-60), "Pathloss": .uint16(10)],
            ["RSSI": .string("loud")],
        ] as [[String: Value]]
    )
    func `refuses a filter`(properties: [String: Value]) async throws {
        let world = try await World()
        let client = try await world.client()
        let wrong = refusal("InvalidArguments", "Invalid arguments in method call")
        await #expect(throws: wrong) {
            let body: [Value] = [.properties(properties)]
            _ = try await client.call("SetDiscoveryFilter", on: .hci0, .adapter, body)
        }
    }

    @Test(
        arguments: [
            (nil, false, false), (nil, true, true),
            (["Transport": .string("le")], false, true),
            (["UUIDs": .strings([UUIDs.service.uppercased()])], false, true),
            (["UUIDs": .strings([UUIDs.question])], false, false),
            (["RSSI": .int16(-60)], false, true), (["RSSI": .int16(-40)], false, false),
            (["Pattern": .string("8-B")], false, true),
            (["Pattern": .string("00:AA:01")], false, true),
            (["Pattern": .string("9")], false, false),
            (["Transport": .string("bredr")], false, false),
        ] as [([String: Value]?, Bool, Bool)]
    )
    func `hears by its filter and the advertisement's flag`(
        filter: [String: Value]?,
        isDiscoverable: Bool,
        isHeard: Bool
    ) async throws {
        let world = try await World()
        let client = try await world.client()
        try await client.advertise([
            "ServiceUUIDs": .strings([UUIDs.service]), "Discoverable": .bool(isDiscoverable),
        ])
        if let filter {
            let body: [Value] = [.properties(filter)]
            _ = try await client.call("SetDiscoveryFilter", on: .hci0, .adapter, body)
        }
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        #expect(try await client.upToNow().contains("+ \(Self.ball) Device1") == isHeard)
    }

    @Test func `reports each advertisement four times a second`() async throws {
        let world = try await World()
        let client = try await world.ballFound()
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        try await client.upToNow()
        for _ in 1...3 {
            world.clock.advance(by: .milliseconds(250))
            #expect(
                try await client.upTo("\(Self.ball) Device1 RSSI=-50") == [
                    "\(Self.ball) Device1 RSSI=-50"
                ]
            )
        }
    }

    @Test func `tells a new name with the report`() async throws {
        let world = try await World()
        let client = try await world.ballFound()
        let body: [Value] = [.objectPath("/ball/advertisement")]
        let member = "UnregisterAdvertisement"
        _ = try await client.call(member, on: .hci1, .advertisingManager, body)
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        try await client.upToNow()
        try await client.advertise([
            "LocalName": .string("Other"), "ServiceUUIDs": .strings([UUIDs.service]),
        ])
        try await client.upTo("\(Self.ball) Device1 Alias=Other Name=Other RSSI=-50")
    }

    @Test func `hears louder what is nearer, and nothing out of range`() async throws {
        let world = try await World()
        let client = try await world.ballFound()
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        try await client.upToNow()
        await world.daemon.simulateProximityChange(.immediate, between: 0, and: 1)
        world.clock.advance(by: .milliseconds(250))
        try await client.upTo("\(Self.ball) Device1 RSSI=-30")
        await world.daemon.simulateProximityChange(.outOfRange, between: 0, and: 1)
        world.clock.advance(by: .milliseconds(250))
        _ = try await client.call("StopDiscovery", on: .hci0, .adapter)
        #expect(try await !client.upToNow().contains { $0.contains("RSSI=") })
    }

    @Test func `forgets a device half a minute after it was heard last`() async throws {
        let world = try await World()
        let client = try await world.ballFound()
        world.clock.advance(by: .seconds(30))
        try await client.upTo("- \(Self.ball) Device1")
        let gone = ErrorReply(
            .unknownObject,
            """
            Method "Connect" with signature "" on interface "org.bluez.Device1" doesn't exist

            """
        )
        await #expect(throws: gone) { _ = try await client.call("Connect", on: .ball, .device) }
    }

    @Test func `ends when its client leaves the bus`() async throws {
        let world = try await World()
        let client = try await world.ballFound()
        let other = try await world.client()
        _ = try await other.call("StartDiscovery", on: .hci0, .adapter)
        try await client.upTo("hci0 Adapter1 Discovering=true")
        await other.die()
        try await client.upTo("hci0 Adapter1 Discovering=false")
    }

    @Test func `removes a device on request, once`() async throws {
        let world = try await World()
        let client = try await world.ballFound()
        let body: [Value] = [.objectPath(.ball)]
        _ = try await client.call("RemoveDevice", on: .hci0, .adapter, body)
        #expect(try await client.upToNow() == ["- \(Self.ball) Device1"])
        await #expect(throws: refusal("DoesNotExist", "Does Not Exist")) {
            _ = try await client.call("RemoveDevice", on: .hci0, .adapter, body)
        }
    }
}
