import BLEDBus
import Testing
import VirtualBlueZ

/// What an adapter is for a time.
@Suite("Modes of an adapter", .timeLimit(.minutes(10)))
struct AdapterModeTests {
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
