import BLEDBus
import Testing
import VirtualBlueZ

/// How advertisements end, change and are refused, against traces of the originals.
@Suite("The life of an advertisement", .timeLimit(.minutes(10)))
struct AdvertisementLifeTests {
    private static let ball = "hci0/dev_00_AA_01_01_00_01 Device1"

    private func instances(_ client: Client) async throws -> Value? {
        try await client.property("ActiveInstances", of: .advertisingManager, at: .hci1)
    }

    @Test func `it is released when its time-out is over`() async throws {
        let world = try await World()
        let client = try await world.client()
        try await client.advertise(["Timeout": .uint16(10)])
        await world.daemon.passTime(.milliseconds(9_999))
        #expect(try await instances(client) == .byte(1))
        try await client.upToNow()
        await world.daemon.passTime(.milliseconds(1))
        #expect(
            try await client.upToNow() == [
                "call Release",
                "hci1 LEAdvertisingManager1 ActiveInstances=0 SupportedInstances=5",
            ]
        )
        let body: [Value] = [.objectPath("/ball/advertisement")]
        await #expect(throws: refusal("DoesNotExist", "Does Not Exist")) {
            _ = try await client.call(
                "UnregisterAdvertisement",
                on: .hci1,
                .advertisingManager,
                body
            )
        }
    }

    @Test func `its time-out ends with it`() async throws {
        let world = try await World()
        let client = try await world.client()
        try await client.advertise(["Timeout": .uint16(10)])
        let body: [Value] = [.objectPath("/ball/advertisement")]
        _ = try await client.call("UnregisterAdvertisement", on: .hci1, .advertisingManager, body)
        try await client.advertise([:])
        try await client.upToNow()
        await world.daemon.passTime(.seconds(20))
        #expect(try await client.upToNow().isEmpty)
        #expect(try await instances(client) == .byte(1))
    }

    @Test(arguments: ["GetManagedObjects", "GetAll"])
    func `it does not come when its program ends while it is read`(member: String) async throws {
        let world = try await World()
        let client = try await world.client()
        await client.hold(member)
        let body: [Value] = [.objectPath("/ball/advertisement"), .noOptions]
        await client.begin("RegisterAdvertisement", on: .hci1, .advertisingManager, body)
        try await client.upTo("call \(member)")
        let other = try await world.client()
        try await other.watchEnd(of: client)
        await client.die()
        try await other.upTo("client is gone")
        try await other.settle()
        #expect(try await instances(other) == .byte(0))
    }

    /// A client that advertises, and scans so that all that changes is told.
    private func scanning(_ world: World, _ properties: [String: Value]) async throws -> Client {
        let client = try await world.client()
        try await client.advertise(properties)
        let filter = Value.properties(["DuplicateData": .bool(true)])
        _ = try await client.call("SetDiscoveryFilter", on: .hci0, .adapter, [filter])
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        try await client.upToNow()
        return client
    }

    private func change(
        _ client: Client,
        _ changes: [String: Value],
        gone: [String] = []
    ) async throws {
        let body: [Value] = [
            .string("org.bluez.LEAdvertisement1"), .properties(changes), .strings(gone),
        ]
        try await client.connection.send(
            .signal(
                from: "/ball/advertisement",
                Interface.properties.rawValue,
                "PropertiesChanged",
                body
            )
        )
    }

    @Test func `a property that changes is on the air at once`() async throws {
        let world = try await World()
        let client = try await scanning(world, ["ServiceUUIDs": .strings([UUIDs.service])])
        try await change(client, ["LocalName": .string("9-Ball")])
        #expect(
            try await client.upToNow() == ["\(Self.ball) Alias=9-Ball Name=9-Ball RSSI=-50"]
        )
        try await change(client, ["ServiceUUIDs": .strings(["180f"])])
        let both = ["0000180f-0000-1000-8000-00805f9b34fb", UUIDs.service].joined(separator: " ")
        #expect(try await client.upToNow() == ["\(Self.ball) RSSI=-50 UUIDs=[\(both)]"])
    }

    @Test(
        arguments: [
            ["LocalName": .bool(true)], ["ServiceUUIDs": .strings(["ball"])],
            [
                "ManufacturerData": .dictionary(
                    key: "q",
                    value: "v",
                    [.init(.uint16(0xffff), .variant(.bytes([UInt8](repeating: 1, count: 32))))]
                )
            ],
        ] as [[String: Value]]
    )
    func `a change that is refused leaves all as it is`(changes: [String: Value]) async throws {
        let world = try await World()
        let client = try await scanning(world, ["ServiceUUIDs": .strings([UUIDs.service])])
        try await change(client, changes)
        #expect(try await client.upToNow().isEmpty)
        try await change(client, [:], gone: ["LocalName"])
        #expect(try await client.upToNow() == ["\(Self.ball) RSSI=-50"])
    }

    private static let always: [[String: Value]] = [
        ["SecondaryChannel": .string("2M")], ["Discoverable": .string("yes")],
        ["Duration": .string("2")], ["Timeout": .uint32(2)], ["Includes": .string("tx-power")],
        ["SolicitUUIDs": .strings(["ball"])],
        ["Discoverable": .bool(true), "DiscoverableTimeout": .uint16(60), "Timeout": .uint16(30)],
        ["Data": .dictionary(key: "y", value: "v", [.init(.byte(9), .variant(.bytes([1])))])],
    ]

    private static func data(_ key: Value, _ value: Value) -> Value {
        .dictionary(key: key.signature, value: value.signature, [.init(key, value)])
    }

    private static let otherTypes: [[String: Value]] = [
        ["ManufacturerData": data(.uint16(0xffff), .bytes([1]))],
        ["ManufacturerData": data(.uint32(0xffff), .variant(.bytes([1])))],
        ["ManufacturerData": data(.string("8-Ball"), .variant(.bytes([1])))],
        ["ManufacturerData": data(.uint16(0xffff), .variant(.string("8-Ball")))],
        ["ManufacturerData": data(.uint16(0xffff), .variant(.variant(.bytes([1]))))],
        ["ServiceData": data(.string("180f"), .bytes([1]))],
        ["ServiceData": data(.string("180f"), .variant(.byte(1)))],
        ["ServiceData": data(.uint16(0x180f), .variant(.bytes([1])))],
        ["Data": data(.byte(0x26), .bytes([1]))],
        ["Data": data(.byte(0x26), .variant(.string("8-Ball")))],
    ]

    private static let sinceLater: [[String: Value]] = [
        ["TxPower": .int16(50)], ["TxPower": .uint16(4)], ["MinInterval": .uint32(100)],
        ["MinInterval": .uint32(5), "MaxInterval": .uint32(100)],
        ["MinInterval": .uint32(200), "MaxInterval": .uint32(100)],
    ]

    @Test(arguments: always)
    func `a property of another kind is refused`(properties: [String: Value]) async throws {
        let client = try await World().client()
        await #expect(throws: refusal("Failed", "Failed to parse advertisement.")) {
            try await client.advertise(properties)
        }
    }

    /// Source: BlueZ, src/advertising.c, `parse_manufacturer_data`, `parse_service_data`, `parse_data`.
    @Test(arguments: otherTypes)
    func `data of other types than bytes is refused, also while it is received`(
        properties: [String: Value]
    ) async throws {
        let world = try await World()
        let client = try await scanning(world, [:])
        try await change(client, properties)
        #expect(try await client.upToNow().isEmpty)
        await #expect(throws: refusal("Failed", "Failed to parse advertisement.")) {
            try await client.advertise(properties, at: "/ball/other")
        }
        #expect(try await client.upToNow().isEmpty)
    }

    @Test(arguments: sinceLater)
    func `a parameter that cannot be is refused by newer releases`(
        properties: [String: Value]
    ) async throws {
        try await World(version: .v5_66).client().advertise(properties)
        let client = try await World(version: .v5_82).client()
        await #expect(throws: refusal("Failed", "Failed to parse advertisement.")) {
            try await client.advertise(properties)
        }
    }
}
