import BLEDBus
import BLEDBusTesting
import Testing

@Suite("An org.bluez of a test", .timeLimit(.minutes(10)))
struct ScriptedDaemonTests {
    @Test func `leaves its name free when it has stopped`() async throws {
        let bus = try await PrivateBus.start()
        let daemon = try await ScriptedDaemon(on: bus)
        let client = try await Connection.open(BusAddress(bus.address))
        let held = bus.holdConnections()
        // The next that comes to the bus is who waits until it has dropped the daemon.
        try await client.subscribe(to: MatchRule(member: "NameOwnerChanged")) { _ in held.release()
        }
        await daemon.stop()
        try await client.requestName("org.bluez")
    }
}
