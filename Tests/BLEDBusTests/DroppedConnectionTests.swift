import BLEDBus
import BLEDBusTesting
import Testing

@Suite("A closed connection", .timeLimit(.minutes(10)))
struct DroppedConnectionTests {
    @Test func `is waited for until the bus has dropped it and its names`() async throws {
        let bus = try await PrivateBus.start()
        let server = try await Connection.open(BusAddress(bus.address))
        try await server.requestName("test.Owner")
        let held = bus.holdConnections()
        #expect(held.count == 1)
        let client = try await Connection.open(BusAddress(bus.address))
        // The next that comes to the bus is who waits.
        try await client.subscribe(to: MatchRule(member: "NameOwnerChanged")) { _ in held.release()
        }
        await server.close()
        await server.waitUntilDropped()
        try await client.requestName("test.Owner")
    }

    @Test func `is not waited for when the bus is gone`() async throws {
        let bus = try await PrivateBus.start()
        let connection = try await Connection.open(BusAddress(bus.address))
        bus.stop()
        await connection.close()
        await connection.waitUntilDropped()
    }

    @Test func `is not waited for longer than the limit when the bus hangs`() async throws {
        let bus = try await PrivateBus.start()
        let connection = try await Connection.open(BusAddress(bus.address))
        bus.suspend()
        await connection.close()
        await connection.waitUntilDropped(timeLimit: .milliseconds(10))
        bus.resume()
    }
}
