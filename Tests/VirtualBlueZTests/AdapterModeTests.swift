import BLEDBus
import Testing
import VirtualBlueZ

/// What an adapter is for a time.
@Suite("Modes of an adapter", .timeLimit(.minutes(10)))
struct AdapterModeTests {
    private static func pairable(_ isPairable: Bool) -> [String] {
        ["hci0", "hci1"].map { "\($0) Adapter1 Pairable=\(isPairable)" }
    }

    private static func register(_ client: Client) async throws {
        let agent: [Value] = [.objectPath("/agent"), .string("")]
        _ = try await client.call("RegisterAgent", on: "/org/bluez", .agentManager, agent)
    }

    @Test func `adapters are pairable while there is an agent`() async throws {
        let world = try await World()
        let (client, other) = (try await world.client(), try await world.client())
        try await Self.register(client)
        #expect(try await client.upToNow() == Self.pairable(true))
        try await Self.register(other)
        let agent: [Value] = [.objectPath("/agent")]
        _ = try await client.call("UnregisterAgent", on: "/org/bluez", .agentManager, agent)
        #expect(try await client.upToNow() == [])
        await other.die()
        #expect(try await client.upTo(Self.pairable(false)[1]) == Self.pairable(false))
        try await Self.register(client)
        try await client.upToNow()
        await world.daemon.simulateUnplugging(of: 1)
        await world.daemon.simulatePlugging(of: 1)
        #expect(try await client.upToNow().contains(Self.pairable(true)[1]))
    }

    @Test(arguments: ["Discoverable", "Pairable"])
    func `end at their time-out`(mode: String) async throws {
        let world = try await World()
        let client = try await world.client()
        try await client.set("\(mode)Timeout", of: .adapter, at: .hci0, to: .uint32(3))
        try await client.set(mode, of: .adapter, at: .hci0, to: .bool(true))
        try await client.upToNow()
        await world.daemon.passTime(.seconds(2))
        #expect(try await client.upToNow() == [])
        await world.daemon.passTime(.seconds(1))
        #expect(try await client.upToNow() == ["hci0 Adapter1 \(mode)=false"])
    }

    @Test(arguments: ["Discoverable", "Pairable"])
    func `last from when the time-out was set last`(mode: String) async throws {
        let world = try await World()
        let client = try await world.client()
        try await client.set("\(mode)Timeout", of: .adapter, at: .hci0, to: .uint32(0))
        try await client.set(mode, of: .adapter, at: .hci0, to: .bool(true))
        try await client.upToNow()
        await world.daemon.passTime(.seconds(3600))
        #expect(try await client.upToNow() == [])
        try await client.set("\(mode)Timeout", of: .adapter, at: .hci0, to: .uint32(3))
        try await client.upTo("hci0 Adapter1 \(mode)Timeout=3")
        await world.daemon.passTime(.seconds(3))
        #expect(try await client.upToNow() == ["hci0 Adapter1 \(mode)=false"])
    }
}
