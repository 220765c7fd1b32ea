import BLEDBus
import Testing
import VirtualBlueZ

/// How the releases tell of links and power, line by line as the captures of the originals.
@Suite("Links of releases", .timeLimit(.minutes(10)))
struct ReleaseLinkTests {
    private static let ball = "hci0/dev_00_AA_01_01_00_01"
    private static let asker = "hci1/dev_00_AA_01_00_00_00"
    private static let lost = "Device1 Connected=false ServicesResolved=false"
    private static let failed = "error WriteValue Failed Operation failed with ATT error: 0x0e"

    /// The end of a link, as 5.87 tells it.
    private static func end(of device: String, _ reason: String) -> [String] {
        [
            "\(device) Device1 ServicesResolved=false", "\(device) LE1 Disconnected \(reason)",
            "\(device) Device1 Disconnected \(reason)", "\(device) Device1 Connected=false",
        ]
    }

    /// A world with a client that waits for the reply to a write.
    private func writing(_ version: BlueZVersion) async throws -> (World, Client) {
        let world = try await World(version: version)
        let client = try await world.ballConnected()
        try await client.watchDaemon()
        await client.respond(to: "WriteValue", with: .hold)
        let body: [Value] = [.text("Wait for it?"), .noOptions]
        await client.begin("WriteValue", on: world.release.question, .characteristic, body)
        try await client.upTo("call WriteValue Wait for it?")
        return (world, client)
    }

    @Test(
        arguments: [
            (
                .v5_66,
                [
                    "\(ball) Device1 ServicesResolved=false", "return Disconnect",
                    "\(ball) Device1 Connected=false", "\(asker) \(lost)",
                ]
            ),
            (.v5_82, ["\(ball) \(lost)", "return Disconnect", "\(asker) \(lost)"]),
            (
                .v5_87,
                end(of: ball, "Local") + ["return Disconnect"] + end(of: asker, "Remote")
            ),
        ] as [(BlueZVersion, [String])]
    )
    func `one's own Disconnect`(version: BlueZVersion, expected: [String]) async throws {
        let world = try await World(version: version)
        let client = try await world.ballConnected()
        await client.begin("Disconnect", on: .ball, .device)
        try await client.upToNow()
        world.clock.advance(by: .seconds(2))
        #expect(try await client.upTo(expected[expected.count - 1]) == expected)
    }

    @Test(
        arguments: [
            (.v5_66, ["\(ball) \(lost)", "\(asker) \(lost)"]),
            (.v5_82, ["\(ball) \(lost)", "\(asker) \(lost)"]),
            (.v5_87, end(of: ball, "Timeout") + end(of: asker, "Timeout")),
        ] as [(BlueZVersion, [String])]
    )
    func `a lost link, whose write fails and kills the daemon`(
        version: BlueZVersion,
        expected: [String]
    ) async throws {
        let (world, client) = try await writing(version)
        world.clock.advance(by: .seconds(1))
        await world.daemon.simulateDisconnection(between: 0, and: 1)
        #expect(try await client.upTo(Self.failed) == expected + [Self.failed])
        // The reply comes too late to save it.
        await client.release()
        world.clock.advance(by: .milliseconds(3_999))
        #expect(try await client.upToNow() == [])
        world.clock.advance(by: .milliseconds(1))
        #expect(try await client.upTo("org.bluez is gone") == ["org.bluez is gone"])
    }

    @Test(arguments: BlueZVersion.all)
    func `a write that was replied to kills nobody`(version: BlueZVersion) async throws {
        let (world, client) = try await writing(version)
        await client.release()
        try await client.upTo("return WriteValue")
        await world.daemon.simulateDisconnection(between: 0, and: 1)
        world.clock.advance(by: .seconds(10))
        #expect(try await client.upToNow().contains("org.bluez is gone") == false)
    }

    @Test(
        arguments: [
            (.v5_66, refusal("Failed", "Operation already in progress")),
            (.v5_82, refusal("InProgress", "In Progress")),
            (.v5_87, refusal("InProgress", "In Progress")),
        ] as [(BlueZVersion, ErrorReply)]
    )
    func `a second Connect`(version: BlueZVersion, error: ErrorReply) async throws {
        let world = try await World(version: version)
        let client = try await world.ballFound()
        await world.daemon.simulateProximityChange(.outOfRange, between: 0, and: 1)
        await client.begin("Connect", on: .ball, .device)
        await #expect(throws: error) {
            _ = try await client.call("Connect", on: .ball, .device)
        }
    }

    // MARK: - Power

    @Test(
        arguments: [
            (
                .v5_66, ["\(ball) \(lost)", "\(asker) \(lost)"],
                ["hci0 Adapter1 Discovering=false Powered=false"],
                ["hci0 Adapter1 Powered=true"]
            ),
            (
                .v5_82,
                ["hci0 Adapter1 PowerState=on-disabling", "\(ball) \(lost)", "\(asker) \(lost)"],
                ["hci0 Adapter1 Discovering=false PowerState=off Powered=false"],
                [
                    "hci0 Adapter1 PowerState=off-enabling",
                    "hci0 Adapter1 PowerState=on Powered=true",
                ]
            ),
            (
                .v5_87,
                ["hci0 Adapter1 PowerState=on-disabling"] + end(of: ball, "Remote")
                    + end(of: asker, "Remote"),
                ["hci0 Adapter1 Discovering=false PowerState=off Powered=false"],
                [
                    "hci0 Adapter1 PowerState=off-enabling",
                    "hci0 Adapter1 PowerState=on Powered=true",
                ]
            ),
        ] as [(BlueZVersion, [String], [String], [String])]
    )
    func `one's own adapter goes off and on`(
        version: BlueZVersion,
        ends: [String],
        off: [String],
        on: [String]
    ) async throws {
        let (_, client) = try await writing(version)
        try await client.set("Powered", of: .adapter, at: .hci0, to: .bool(false))
        #expect(try await client.upToNow() == ends + [Self.failed] + off)
        try await client.set("Powered", of: .adapter, at: .hci0, to: .bool(true))
        #expect(try await client.upToNow() == on)
    }

    @Test(
        arguments: [
            (.v5_66, "hci0 Adapter1 Discovering=false Powered=false"),
            (.v5_82, "hci0 Adapter1 Discovering=false PowerState=on Powered=false"),
            (.v5_87, "hci0 Adapter1 Discovering=false PowerState=on Powered=false"),
        ] as [(BlueZVersion, String)]
    )
    func `the adapter vanishes under a write`(
        version: BlueZVersion,
        power: String
    ) async throws {
        let (world, client) = try await writing(version)
        await world.daemon.simulateUnplugging(of: 0)
        let batteries = version == .v5_66 ? "" : "BatteryProviderManager1 "
        let trace = try await client.upTo(
            "- hci0 Adapter1 \(batteries)GattManager1 Media1 LEAdvertisingManager1"
        )
        #expect(trace.firstIndex(of: power).map { trace[$0 + 1] } == Self.failed)
        let isTold = trace.contains("\(Self.ball) Device1 Disconnected Unknown")
        #expect(isTold == (version == .v5_87))
        world.clock.advance(by: .seconds(5))
        let end = try await client.upTo("org.bluez is gone")
        #expect(end == ["org.bluez is gone"])
    }

    @Test(arguments: [(.v5_66, true), (.v5_82, false), (.v5_87, false)] as [(BlueZVersion, Bool)])
    func `pairing that fails costs the link, and maybe the reply`(
        version: BlueZVersion,
        isReplied: Bool
    ) async throws {
        let world = try await World(version: version)
        let client = try await world.ballConnected(.one("encrypt-read"))
        await client.begin("ReadValue", on: world.release.question, .characteristic, [.noOptions])
        let trace = try await client.upToNow()
        #expect(trace.contains { $0.hasPrefix("error ReadValue") } == isReplied)
        // The peer is forgotten, and still there is no reply.
        world.clock.advance(by: .seconds(30))
        let later = try await client.upTo("- \(Self.ball) \(world.release.device)")
        #expect(!later.contains { $0.hasPrefix("error ReadValue") })
    }
}
