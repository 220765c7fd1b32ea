import BLEDBus
import Testing
import VirtualBlueZ

/// What is told of `/org/bluez` as daemons come and go, against traces of the originals.
@Suite("The managers", .timeLimit(.minutes(10)))
struct ManagerTests {
    @Test func `a client that waits for the daemon is told of them`() async throws {
        let world = try await World()
        let levers = try await VirtualWorld.open(for: world.daemon)
        let client = try await world.client()
        for lever in ["Stop", "Start"] { _ = try await client.call(lever, on: .world, .world) }
        let trace = try await client.upToNow()
        await levers.close()
        let managers = trace.filter { $0.contains("/org/bluez ") }
        #expect(
            managers == [
                "- /org/bluez HealthManager1", "- /org/bluez AgentManager1 ProfileManager1",
                "+ /org/bluez AgentManager1 ProfileManager1 HealthManager1",
            ]
        )
    }
}
