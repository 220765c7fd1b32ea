import BLEDBus
import Testing
import VirtualBlueZ

@Suite("VirtualWorld", .timeLimit(.minutes(10)))
struct VirtualWorldTests {
    private static let ball = "hci0/dev_00_AA_01_01_00_01"
    private static let asker = "hci1/dev_00_AA_01_00_00_00"
    private static let lost = "Device1 Connected=false ServicesResolved=false"

    /// A client that is connected to its own ball, and levers.
    private func connected() async throws -> (VirtualWorld, Client) {
        let world = try await World()
        let levers = try await VirtualWorld.open(for: world.daemon)
        return (levers, try await world.ballConnected())
    }

    /// What is told until a lever's call has returned.
    private func trace(
        of client: Client,
        pulling lever: String,
        _ body: Value...
    ) async throws -> [String] {
        await client.begin(lever, on: .world, .world, body)
        return try await client.upTo("return \(lever)")
    }

    @Test func `a lever returns when all has been told`() async throws {
        let (levers, client) = try await connected()
        #expect(
            try await trace(of: client, pulling: "Disconnect", .uint32(1), .uint32(0)) == [
                "\(Self.asker) \(Self.lost)", "\(Self.ball) \(Self.lost)", "return Disconnect",
            ]
        )
        // One that was connected just now is forgotten with what it has.
        #expect(
            try await trace(of: client, pulling: "PowerOff", .uint32(1)).suffix(3) == [
                "- \(Self.asker) Device1", "hci1 Adapter1 Discovering=false Powered=false",
                "return PowerOff",
            ]
        )
        #expect(
            try await trace(of: client, pulling: "PowerOn", .uint32(1)) == [
                "hci1 Adapter1 Powered=true", "return PowerOn",
            ]
        )
        let unplugging = try await trace(of: client, pulling: "Unplug", .uint32(1))
        #expect(unplugging.suffix(2) == ["- hci1 Adapter1", "return Unplug"])
        let plugging = try await trace(of: client, pulling: "Plug", .uint32(1))
        #expect(plugging.first == "+ hci1 Adapter1 GattManager1 Media1")
        #expect(plugging.suffix(4).first == "+ hci1 LEAdvertisingManager1")
        #expect(plugging.suffix(3).first?.contains(" Powered=true ") == true)
        #expect(plugging.last == "return Plug")
        await levers.close()
    }

    @Test func `a lever of the foreign program returns when all has been told, too`() async throws {
        let (levers, client) = try await connected()
        let scanning = try await trace(of: client, pulling: "ForeignStartDiscovery", .uint32(0))
        #expect(scanning.contains("hci0 Adapter1 Discovering=true"))
        let leaving = try await trace(of: client, pulling: "ForeignLeave")
        #expect(leaving.contains("hci0 Adapter1 Discovering=false"))
        await levers.close()
    }

    @Test func `a lever needs no reply of the daemon, whatever faults its calls have`() async throws
    {
        let (levers, client) = try await connected()
        let fault: [Value] = [
            .string("org.freedesktop.DBus.Peer.Ping"), .string("org.bluez.Error.Failed"),
            .string("not now"), .uint32(2),
        ]
        _ = try await client.call("FailCall", on: .world, .world, fault)
        let disconnection: [Value] = [.uint32(0), .uint32(1)]
        _ = try await client.call("Disconnect", on: .world, .world, disconnection)
        // They have taken none of those that are for others.
        for _ in 0..<2 {
            await #expect(throws: refusal("Failed", "not now")) { try await client.upToNow() }
        }
        #expect(try await client.upToNow().contains("\(Self.ball) \(Self.lost)"))
        await levers.close()
    }

    @Test func `out of range the link is lost`() async throws {
        let (levers, client) = try await connected()
        let out: [Value] = [.uint32(0), .uint32(1), .string("outOfRange")]
        await client.begin("SetProximity", on: .world, .world, out)
        #expect(
            try await client.upTo("return SetProximity").contains("\(Self.ball) \(Self.lost)")
        )
        await levers.close()
    }

    @Test func `a daemon that was killed begins anew, and the levers act on it`() async throws {
        let (levers, client) = try await connected()
        #expect(try await trace(of: client, pulling: "Kill") == ["return Kill"])
        let dead = await levers.daemon
        await #expect(throws: ErrorReply.self) {
            try await client.property("Powered", of: .adapter, at: .hci0)
        }
        #expect(
            try await trace(of: client, pulling: "Start") == [
                "+ /org/bluez AgentManager1 ProfileManager1 HealthManager1",
                "+ hci0 Adapter1 GattManager1 Media1 LEAdvertisingManager1",
                "+ \(Self.ball) Device1",
                "+ hci1 Adapter1 GattManager1 Media1 LEAdvertisingManager1",
                "+ \(Self.asker) Device1",
                "return Start",
            ]
        )
        #expect(await levers.daemon !== dead)
        #expect(
            try await trace(of: client, pulling: "PowerOff", .uint32(0)) == [
                "hci0 Adapter1 Discovering=false Powered=false", "return PowerOff",
            ]
        )
        await levers.close()
    }

    @Test func `what is unplugged stays so over a restart`() async throws {
        let (levers, client) = try await connected()
        _ = try await trace(of: client, pulling: "Unplug", .uint32(0))
        let stopping = try await trace(of: client, pulling: "Stop")
        #expect(stopping.contains("- hci1 Adapter1"))
        // Whoever ends in order turns the adapters off.
        let starting = try await trace(of: client, pulling: "Start")
        #expect(
            starting.prefix(4) == [
                "+ /org/bluez AgentManager1 ProfileManager1 HealthManager1",
                "+ hci1 Adapter1 GattManager1 Media1", "+ \(Self.asker) Device1",
                "+ hci1 LEAdvertisingManager1",
            ]
        )
        #expect(starting.contains { $0.contains("Powered=true") })
        #expect(starting.last == "return Start")
        await levers.close()
    }

    @Test func `a daemon that was killed in Swift can be started by a lever`() async throws {
        let (levers, client) = try await connected()
        await levers.daemon.kill()
        let trace = try await trace(of: client, pulling: "Start")
        #expect(trace.contains("+ hci0 Adapter1 GattManager1 Media1 LEAdvertisingManager1"))
        await levers.close()
    }

    @Test(
        arguments: [
            ("Disconnect", [.uint32(0), .uint32(1)], "Failed hci0 and hci1 are not connected"),
            ("Disconnect", [.uint32(0), .uint32(5)], "Failed hci5 is not plugged in"),
            (
                "Disconnect", [.uint32(0), .uint32(0)],
                "InvalidArguments hci0 and hci0 are the same adapter"
            ),
            ("PowerOn", [.uint32(0)], "Failed hci0 is on already"),
            ("PowerOff", [.uint32(2)], "Failed hci2 is not plugged in"),
            ("Plug", [.uint32(0)], "Failed hci0 is plugged in already"),
            (
                "Plug", [.uint32(128)],
                "InvalidArguments there is no adapter 128, only 0 to 127 for hci0 to hci127"
            ),
            (
                "SetProximity", [.uint32(0), .uint32(1), .string("close")],
                "InvalidArguments there is no proximity \"close\", "
                    + "only immediate, near, far, outOfRange and -127 to 20 dBm"
            ),
            ("Start", [], "Failed bluetoothd runs already"),
            ("Continue", [], "Failed bluetoothd does not hang"),
            ("PlugAs", [.uint32(2), .uint32(1)], "Failed hci1 is the name of adapter 1"),
            ("Unblock", [.uint32(0)], "Failed hci0 is not blocked"),
            ("Reset", [.uint32(7)], "Failed hci7 is not plugged in"),
            (
                "CrashOnCall", [.string("Connect")],
                "InvalidArguments \"Connect\" is no method, "
                    + "as org.bluez.Adapter1.StartDiscovery is one"
            ),
            (
                "FailCall",
                [.string("org.bluez.Device1.Connect"), .string("Failed"), .string(""), .uint32(1)],
                "InvalidArguments \"Failed\" is no error, as org.bluez.Error.Failed is one"
            ),
        ] as [(String, [Value], String)]
    )
    func `what can't be is refused`(lever: String, body: [Value], refusal: String) async throws {
        let world = try await World()
        let levers = try await VirtualWorld.open(for: world.daemon)
        let client = try await world.client()
        await client.begin(lever, on: .world, .world, body)
        #expect(try await client.upTo("error \(lever) \(refusal)").count == 1)
        await levers.close()
    }

    @Test(arguments: ["Kill", "Stop", "PowerOff"])
    func `a dead daemon has no levers but Start`(lever: String) async throws {
        let world = try await World()
        let levers = try await VirtualWorld.open(for: world.daemon)
        let client = try await world.client()
        await world.daemon.kill()
        await client.begin(lever, on: .world, .world, lever == "PowerOff" ? [.uint32(0)] : [])
        try await client.upTo("error \(lever) Failed bluetoothd does not run")
        await levers.close()
    }

    @Test func `one bus has one world`() async throws {
        let world = try await World()
        let levers = try await VirtualWorld.open(for: world.daemon)
        await #expect(throws: VirtualDaemonError.self) {
            try await VirtualWorld.open(for: world.daemon)
        }
        await levers.close()
    }
}
