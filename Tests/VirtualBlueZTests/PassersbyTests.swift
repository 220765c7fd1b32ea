import BLEDBus
import Testing

@testable import VirtualBlueZ

@Suite("Passers-by", .timeLimit(.minutes(10)))
struct PassersbyTests {
    @Test func `are heard while the adapter scans, and forgotten when they have gone`() async throws
    {
        let world = try await World()
        let client = try await world.client()
        await world.daemon.simulatePassersby(
            2,
            near: 0,
            sightingsPerSecond: 8,
            advertising: [UUIDs.service]
        )
        let path = "hci0/dev_" + Crowd.address(of: 1).replacing(":", with: "_")
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        try await client.upTo("+ \(path) Device1")
        await world.daemon.simulatePassersby(0, near: 0, sightingsPerSecond: 0)
        world.clock.advance(by: .seconds(30))
        try await client.upTo("- \(path) Device1")
    }

    @Test func `are those of the seed, each heard as often as it should`() {
        func crowd(_ seed: UInt64) -> Crowd {
            Crowd(1000, sightingsPerSecond: 12.5, services: [], seed: seed)
        }
        var (one, same, other) = (crowd(1), crowd(1), crowd(2))
        let heard = (1...80).map { _ in one.receive(for: .milliseconds(250)).map(\.number) }
        #expect(heard.joined().count == 250)
        #expect(heard == (1...80).map { _ in same.receive(for: .milliseconds(250)).map(\.number) })
        #expect(heard != (1...80).map { _ in other.receive(for: .milliseconds(250)).map(\.number) })
        #expect(Set(heard.joined()).count > 20)
    }

    @Test func `have addresses of their own, random and static`() {
        let addresses = (0..<10_000).map(Crowd.address)
        #expect(Set(addresses).count == addresses.count)
        #expect(addresses.allSatisfy { "CDEF".contains($0.prefix(1)) && $0.utf8.count == 17 })
    }
}
