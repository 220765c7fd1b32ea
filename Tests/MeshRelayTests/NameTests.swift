import BLE
import BLETesting
import Testing

@testable import MeshRelay

@Suite("The name of a node", .timeLimit(.minutes(10)))
struct NameTests {
    /// What somebody near sees of a node that chose a name.
    private func seen(_ name: String?) async throws -> String {
        let scene = RelayScene()
        let member = try await scene.member("alice", advertisedName: name)
        let other = await scene.air.radio("other")
        return try await scene.pass {
            try await member.node.start()
            let filter = ScanFilter(service: RelayService.uuid)
            for try await case .seen(let sighting) in try await other.scan(filter) {
                await member.node.stop()
                return sighting.name
            }
            throw CancellationError()
        }
    }

    @Test func `is its address, as with the apps`() async throws {
        #expect(try await seen(nil) == "alice#1234")
    }

    @Test(arguments: [("somebody", "somebody"), ("", "")])
    func `is another one where that is wanted, or none`(name: String, shown: String) async throws {
        #expect(try await seen(name) == shown)
    }

    @Test func `is cut where an advertisement has no room, between characters`() async throws {
        #expect(try await seen(String(repeating: "👋", count: 16)) == "👋👋👋👋👋👋👋")
    }
}
