import DBusTesting
import Testing
import VirtualBlueZ

/// What the documentation pages show, so that it stays true.
@Suite("Documentation examples", .timeLimit(.minutes(1)))
struct DocumentationExamples {
    @Test func `the landing page's`() async throws {
        let bus = try PrivateBus()
        let daemon = try await VirtualDaemon.start(on: bus.address)
        await daemon.simulateDisconnection(between: 0, and: 1)
        await daemon.stop()
        bus.stop()
    }

    @Test func `losing things`() async throws {
        let bus = try PrivateBus()
        let daemon = try await VirtualDaemon.start(on: bus.address)
        await daemon.simulateDisconnection(between: 0, and: 1)
        await daemon.simulateProximityChange(.far, between: 0, and: 1)
        await daemon.simulatePowerOff(of: 1)
        await daemon.simulatePowerOn(of: 1)
        await daemon.simulateUnplugging(of: 1)
        await daemon.simulatePlugging(of: 1)
        await daemon.kill()
    }

    @Test func `levers on the bus`() async throws {
        let bus = try PrivateBus()
        let daemon = try await VirtualDaemon.start(on: bus.address)
        let world = try await VirtualWorld.open(for: daemon)
        await world.close()
    }

    @Test func `releases`() async throws {
        let bus = try PrivateBus()
        let daemon = try await VirtualDaemon.start(on: bus.address, version: .v5_82, mtu: 100)
        await daemon.stop()
    }

    @Test func `letting time pass`() async throws {
        let bus = try PrivateBus()
        let quick = try await VirtualDaemon.start(
            on: bus.address,
            timing: Timing(disconnecting: .zero, removal: .seconds(1))
        )
        await quick.stop()
        let clock = ManualClock()
        let daemon = try await VirtualDaemon.start(
            on: bus.address,
            timing: Timing(connecting: .zero, resolving: .zero),
            clock: clock
        )
        await daemon.stop()
    }

    @Test func `a bus that isn't there`() async throws {
        let error = try await #require(throws: VirtualDaemonError.self) {
            _ = try await VirtualDaemon.start(on: "unix:path=/nonexistent")
        }
        #expect(error.description.contains("/nonexistent"))
    }

    @Test func `a bus that has a daemon`() async throws {
        let bus = try PrivateBus()
        let daemon = try await VirtualDaemon.start(on: bus.address)
        await #expect(throws: VirtualDaemonError.self) {
            _ = try await VirtualDaemon.start(on: bus.address)
        }
        await daemon.stop()
    }
}
