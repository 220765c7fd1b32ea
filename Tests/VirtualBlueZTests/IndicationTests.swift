import BLEDBus
import BLEDBusTesting
import Testing

@testable import VirtualBlueZ

/// When an application is asked to Confirm; the scenarios `indicate_…` show the same of real ones.
@Suite("Indications", .timeLimit(.minutes(10)))
struct IndicationTests {
    private static let ball = "hci0/dev_00_AA_01_01_00_01"
    private static let asker = "hci1/dev_00_AA_01_00_00_00"
    private static let ended = "Device1 Connected=false ServicesResolved=false"

    private static func value(_ text: String) -> String {
        "\(TraceText.path(.question)) GattCharacteristic1 Value=\(text)"
    }

    /// A client that is subscribed to its own ball's indications.
    private static func subscribed(in world: World) async throws -> Client {
        let client = try await world.ballConnected(.one("indicate"))
        _ = try await client.call("StartNotify", on: .question, .characteristic)
        try await client.upToNow()
        return client
    }

    private static func indicate(_ text: String, by client: Client) async throws {
        try await client.notify(text, from: "/ball/service/only")
    }

    @Test func `one is sent when the one before is confirmed`() async throws {
        let world = try await World()
        let client = try await Self.subscribed(in: world)
        await world.daemon.simulateKeptConfirmations(by: 0, to: 1)
        for text in ["One", "Two"] { try await Self.indicate(text, by: client) }
        #expect(try await client.upToNow() == [Self.value("One")])
        await world.daemon.simulateConfirmation(by: 0, to: 1)
        #expect(
            try await Set(client.upToNow()) == ["call Confirm", Self.value("Two")]
        )
        await world.daemon.simulateKeptConfirmations(by: 0, to: 1, false)
        #expect(try await client.upToNow() == ["call Confirm"])
        try await Self.indicate("Three", by: client)
        #expect(try await client.upToNow() == [Self.value("Three"), "call Confirm"])
    }

    /// Each confirmation lets the next one go: not from within it, or the stack would grow with what waits.
    @Test func `ten thousand that waited are sent at once`() async throws {
        let world = try await World()
        let client = try await Self.subscribed(in: world)
        let daemon = world.daemon
        let size = await daemon.pendingCount
        await daemon.simulateKeptConfirmations(by: 0, to: 1)
        await daemon.simulateNotificationFault(.lost, at: 0, from: 1, times: .max)
        for _ in 0..<10_000 { await daemon.notify([1], from: 0x16, at: 1) }
        #expect(await daemon.pendingCount > size + 10_000)
        await daemon.simulateKeptConfirmations(by: 0, to: 1, false)
        #expect(await daemon.pendingCount == size)
        #expect(try await client.upToNow().contains("call Confirm"))
    }

    @Test func `one on its way arrives once, though it is to be confirmed now`() async throws {
        let world = try await World()
        let client = try await Self.subscribed(in: world)
        let slow = LinkQuality(delay: .seconds(1))
        await world.daemon.simulateLinkQuality(slow, between: 0, and: 1)
        await world.daemon.simulateKeptConfirmations(by: 0, to: 1)
        try await Self.indicate("One", by: client)
        #expect(try await client.upToNow() == [])
        await world.daemon.simulateKeptConfirmations(by: 0, to: 1, false)
        await world.daemon.passTime(.seconds(5))
        #expect(try await client.upToNow() == [Self.value("One"), "call Confirm"])
    }

    @Test func `each is confirmed when the link ends, too`() async throws {
        let world = try await World()
        let client = try await Self.subscribed(in: world)
        await world.daemon.simulateKeptConfirmations(by: 0, to: 1)
        for text in ["One", "Two"] { try await Self.indicate(text, by: client) }
        #expect(try await client.upToNow() == [Self.value("One")])
        await world.daemon.simulateDisconnection(between: 0, and: 1)
        #expect(
            try await client.upToNow() == [
                "\(Self.ball) \(Self.ended)", "\(Self.asker) \(Self.ended)",
                "call Confirm", "call Confirm", "call StopNotify",
            ]
        )
    }

    @Test func `who does not confirm is given up, and the link 4 s later`() async throws {
        let world = try await World()
        let client = try await Self.subscribed(in: world)
        await world.daemon.simulateSilence(of: 0)
        try await Self.indicate("One", by: client)
        await world.daemon.passTime(.seconds(29))
        #expect(try await client.upToNow() == [])
        await world.daemon.passTime(.seconds(2))
        #expect(try await client.upToNow() == ["call Confirm", "call StopNotify"])
        try await Self.indicate("Two", by: client)
        await world.daemon.passTime(.seconds(4))
        #expect(
            try await client.upToNow() == [
                "\(Self.ball) \(Self.ended)", "\(Self.asker) \(Self.ended)",
            ]
        )
    }

    @Test func `time passes when the bus has handed over what was sent before`() async throws {
        let world = try await World(adapters: 3)
        let client = try await Self.subscribed(in: world)
        await world.daemon.simulateSilence(of: 0)
        // A bus serves who has waited for longest first: here the daemon, which tells that an adapter is off.
        world.bus.suspend()
        await world.daemon.simulatePowerOff(of: 2)
        try await Self.indicate("One", by: client)
        let passing = Task.immediate { await world.daemon.passTime(.seconds(31)) }
        for _ in 0..<8 { #expect(await world.daemon.isRunning) }
        world.bus.resume()
        await passing.value
        #expect(try await client.upToNow().suffix(2) == ["call Confirm", "call StopNotify"])
    }

    /// Real ones call by an object that they have freed.
    @Test(arguments: [false, true])
    func `one of an application that has gone kills the daemon once there is another`(
        isAnother: Bool
    ) async throws {
        let world = try await World()
        let client = try await Self.subscribed(in: world)
        let other = try await world.client()
        await world.daemon.simulateKeptConfirmations(by: 0, to: 1)
        try await Self.indicate("One", by: client)
        #expect(try await client.upToNow() == [Self.value("One")])
        try await client.unregister()
        if isAnother {
            try await other.serve(.one("read"))
            try await other.register()
        }
        await world.daemon.simulateConfirmation(by: 0, to: 1)
        await world.daemon.passTime(.seconds(1))
        #expect(await world.daemon.isRunning != isAnother)
    }

    @Test func `a host that responds again gets what waits`() async throws {
        let world = try await World()
        let client = try await Self.subscribed(in: world)
        await world.daemon.simulateSilence(of: 0)
        try await Self.indicate("One", by: client)
        #expect(try await client.upToNow() == [])
        await world.daemon.simulateSpeech(of: 0)
        #expect(try await client.upToNow() == [Self.value("One"), "call Confirm"])
    }

    @Test func `a host that responds again sends what waits`() async throws {
        let world = try await World()
        let client = try await Self.subscribed(in: world)
        await world.daemon.simulateSilence(of: 1)
        try await Self.indicate("One", by: client)
        #expect(try await client.upToNow() == [])
        await world.daemon.simulateSpeech(of: 1)
        #expect(try await client.upToNow() == [Self.value("One"), "call Confirm"])
        // Nobody waits for a confirmation any more.
        await world.daemon.passTime(.seconds(40))
        #expect(try await client.upToNow() == [])
    }

    @Test func `a confirmation of nothing ends the subscription`() async throws {
        let world = try await World()
        let client = try await Self.subscribed(in: world)
        await world.daemon.simulateConfirmation(by: 0, to: 1)
        #expect(try await client.upToNow() == ["call StopNotify"])
        await world.daemon.passTime(.seconds(4))
        #expect(try await client.upToNow().last == "\(Self.asker) \(Self.ended)")
    }
}
