import BLEDBus
import Testing
import VirtualBlueZ

/// What becomes of a scan when clients leave the bus, against traces of the originals.
@Suite("Scanning clients that leave", .timeLimit(.minutes(10)))
struct LeavingScannerTests {
    private static let ended = "hci0 Adapter1 Discovering=false"

    private func filter(_ client: Client) async throws {
        let filter = Value.properties(["DuplicateData": .bool(true)])
        _ = try await client.call("SetDiscoveryFilter", on: .hci0, .adapter, [filter])
    }

    /// What another client is told once one has left.
    private func told(_ watcher: Client, afterLeavingOf client: Client) async throws -> [String] {
        try await watcher.watchEnd(of: client)
        try await watcher.upToNow()
        await client.die()
        try await watcher.upTo("client is gone")
        return try await watcher.upToNow()
    }

    @Test func `one that has set a filter counts as one that scans`() async throws {
        let world = try await World()
        let (watcher, client) = (try await world.client(), try await world.client())
        try await filter(client)
        #expect(try await told(watcher, afterLeavingOf: client) == [Self.ended])
    }

    @Test func `one without a filter is not missed`() async throws {
        let world = try await World()
        let (watcher, client) = (try await world.client(), try await world.client())
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        _ = try await client.call("StopDiscovery", on: .hci0, .adapter)
        #expect(try await told(watcher, afterLeavingOf: client) == [])
    }

    @Test func `one with a filter takes the scan of the only other with it`() async throws {
        let world = try await World()
        let (watcher, client) = (try await world.client(), try await world.client())
        try await filter(watcher)
        _ = try await watcher.call("StartDiscovery", on: .hci0, .adapter)
        try await filter(client)
        #expect(try await told(watcher, afterLeavingOf: client) == [Self.ended])
        // It hears nothing, until it begins anew.
        try await watcher.advertise(["ServiceUUIDs": .strings([UUIDs.service])])
        await world.daemon.passTime(.seconds(2))
        let found = "+ hci0/dev_00_AA_01_01_00_01 Device1"
        #expect(try await watcher.upToNow().contains(found) == false)
        await watcher.begin("StopDiscovery", on: .hci0, .adapter)
        #expect(
            try await watcher.upTo("return StopDiscovery") == [Self.ended, "return StopDiscovery"]
        )
        _ = try await watcher.call("StartDiscovery", on: .hci0, .adapter)
        #expect(try await watcher.upToNow().contains(found))
    }

    @Test func `of three that scan the others go on`() async throws {
        let world = try await World()
        let clients = [
            try await world.client(), try await world.client(), try await world.client(),
        ]
        for client in clients {
            try await filter(client)
            _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        }
        #expect(try await told(clients[0], afterLeavingOf: clients[2]) == [])
    }
}
