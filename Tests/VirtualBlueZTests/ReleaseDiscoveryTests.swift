import BLEDBus
import Testing
import VirtualBlueZ

/// What the releases hear, against captures of the originals.
@Suite("Discovery of releases", .timeLimit(.minutes(10)))
struct ReleaseDiscoveryTests {
    /// What becomes of an advertisement without the flag.
    enum Finding {
        case nothing
        case bareObject
        case device
    }

    private static let ball = "hci0/dev_00_AA_01_01_00_01"

    private func scanning(
        _ world: World,
        _ filter: [String: Value]?,
        _ advertisement: [String: Value]
    ) async throws -> Client {
        let client = try await world.client()
        try await client.watchDaemon()
        try await client.advertise(advertisement)
        if let filter {
            let body: [Value] = [.properties(filter)]
            _ = try await client.call("SetDiscoveryFilter", on: .hci0, .adapter, body)
        }
        try await client.upToNow()
        await client.begin("StartDiscovery", on: .hci0, .adapter)
        return client
    }

    private static let le: [String: Value] = ["Transport": .string("le")]

    @Test(
        arguments: [
            (.v5_66, nil, .nothing), (.v5_82, nil, .bareObject), (.v5_87, nil, .nothing),
            (.v5_66, le, .device), (.v5_82, le, .bareObject), (.v5_87, le, .nothing),
            (.v5_82, ["Transport": .string("le"), "RSSI": .int16(-127)], .device),
            (.v5_82, ["Transport": .string("le"), "Pattern": .string("")], .device),
            (.v5_82, ["Transport": .string("le"), "DuplicateData": .bool(true)], .device),
            (.v5_82, ["UUIDs": .strings([UUIDs.service])], .device),
            (.v5_82, ["UUIDs": .strings([UUIDs.question])], .nothing),
            (.v5_82, ["Transport": .string("bredr")], .nothing),
            (.v5_87, ["Transport": .string("le"), "RSSI": .int16(-127)], .device),
            (.v5_87, ["Transport": .string("le"), "Pattern": .string("")], .device),
            (.v5_87, ["Transport": .string("le"), "DuplicateData": .bool(true)], .device),
        ] as [(BlueZVersion, [String: Value]?, Finding)]
    )
    func `an advertisement without Discoverable`(
        version: BlueZVersion,
        filter: [String: Value]?,
        finding: Finding
    ) async throws {
        let world = try await World(version: version)
        let uuids = Value.strings([UUIDs.service])
        let client = try await scanning(world, filter, ["ServiceUUIDs": uuids])
        let trace = try await client.upToNow()
        #expect(trace.contains("+ \(Self.ball) \(world.release.device)") == (finding != .nothing))
        guard finding != .nothing else { return }
        let found = try await client.property("UUIDs", of: .device, at: .ball)
        #expect(found == (finding == .device ? uuids : .strings([])))
        let rssi = try? await client.property("RSSI", of: .device, at: .ball)
        #expect(rssi == (finding == .device ? .int16(-50) : nil))
        let flags = try? await client.property("AdvertisingFlags", of: .device, at: .ball)
        #expect(flags == (finding == .device && version != .v5_66 ? .bytes([0x04]) : nil))
    }

    @Test(arguments: BlueZVersion.all)
    func `one with Discoverable is found by every release`(version: BlueZVersion) async throws {
        let world = try await World(version: version)
        let client = try await scanning(world, nil, ["Discoverable": .bool(true)])
        try await client.upToNow()
        #expect(try await client.property("RSSI", of: .device, at: .ball) == .int16(-50))
        let flags = try? await client.property("AdvertisingFlags", of: .device, at: .ball)
        #expect(flags == (version == .v5_66 ? nil : .bytes([0x06])))
    }

    @Test func `a bare object has the name that was heard the time before`() async throws {
        let world = try await World(version: .v5_82)
        let client = try await scanning(world, nil, [:])
        try await client.upToNow()
        await #expect(throws: ErrorReply.self) {
            try await client.property("Name", of: .device, at: .ball)
        }
        let body: [Value] = [.objectPath(.ball)]
        _ = try await client.call("RemoveDevice", on: .hci0, .adapter, body)
        world.clock.advance(by: .milliseconds(250))
        try await client.upTo("+ \(Self.ball) Device1")
        #expect(try await client.property("Name", of: .device, at: .ball) == .string("8-Ball"))
    }

    @Test(
        arguments: [
            (.v5_66, false), (.v5_82, false), (.v5_87, true),
        ] as [(BlueZVersion, Bool)]
    )
    func `UUIDs in a filter`(
        version: BlueZVersion,
        isDeadly: Bool
    ) async throws {
        let world = try await World(version: version)
        // Any service that is advertised, not only those that are looked for.
        let filter = ["UUIDs": Value.strings([UUIDs.question])]
        let service: [String: Value] = ["ServiceUUIDs": .strings([UUIDs.service])]
        let client = try await scanning(world, filter, service)
        if isDeadly {
            #expect(
                try await client.upTo("org.bluez is gone") == [
                    "return StartDiscovery", "hci0 Adapter1 Discovering=true", "org.bluez is gone",
                ]
            )
        } else {
            #expect(
                try await client.upToNow() == [
                    "return StartDiscovery", "hci0 Adapter1 Discovering=true",
                ]
            )
        }
    }

    @Test(arguments: [(.v5_66, false), (.v5_82, true), (.v5_87, true)] as [(BlueZVersion, Bool)])
    func `a second UUID fits into the scan response`(
        version: BlueZVersion,
        isHeard: Bool
    ) async throws {
        let world = try await World(version: version)
        let advertisement: [String: Value] = [
            "ServiceUUIDs": .strings([UUIDs.service]),
            "ScanResponseServiceUUIDs": .strings([UUIDs.question]),
        ]
        let filter: [String: Value] = ["DuplicateData": .bool(true)]
        let client = try await scanning(world, filter, advertisement)
        try await client.upToNow()
        #expect(
            try await client.property("UUIDs", of: .device, at: .ball)
                == .strings(isHeard ? [UUIDs.service, UUIDs.question] : [UUIDs.service])
        )
    }
}
