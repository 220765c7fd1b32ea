import BLEDBusTesting
import Testing
import VirtualBlueZ

/// What the documentation pages show, so that it stays true.
@Suite("Documentation examples", .timeLimit(.minutes(10)))
struct DocumentationExamples {
    @Test func `the landing page's`() async throws {
        let bus = try PrivateBus()
        let daemon = try await VirtualDaemon.start(on: bus.address)
        await daemon.simulateDisconnection(between: 0, and: 1)
        await daemon.stop()
        bus.stop()
    }

    @Test func `faults of adapters and links`() async throws {
        let bus = try PrivateBus()
        let daemon = try await VirtualDaemon.start(on: bus.address)
        await daemon.simulateDisconnection(between: 0, and: 1)
        await daemon.simulateProximityChange(.far, between: 0, and: 1)
        await daemon.simulateLinkQuality(LinkQuality(loss: 0.2), between: 0, and: 1)
        await daemon.simulateBlock(of: 1)
        await daemon.simulateUnblock(of: 1)
        await daemon.simulateUnplugging(of: 1)
        await daemon.simulatePlugging(of: 1, as: 5)
        await daemon.kill()
        #expect(await !daemon.isRunning)
    }

    @Test func `faults of calls`() async throws {
        let bus = try PrivateBus()
        let daemon = try await VirtualDaemon.start(on: bus.address)
        await daemon.simulateCallFault(
            .inProgress,
            on: "org.bluez.Adapter1.StartDiscovery",
            times: 3
        )
        await daemon.simulateCallFault(
            .failure("org.bluez.Error.Failed", "Input/output error"),
            on: "org.bluez.Device1.Connect",
            times: nil,
            for: .seconds(10)
        )
        await daemon.simulateCallFault(
            .late(by: .seconds(3)),
            on: "org.freedesktop.DBus.ObjectManager.GetManagedObjects"
        )
        await daemon.simulateCallFault(
            .replyAfterNotification,
            on: "org.bluez.GattCharacteristic1.WriteValue"
        )
        await daemon.removeCallFaults()
        let stranger = try await ForeignClient.open(on: bus.address)
        try await stranger.startDiscovery(with: 0)
        try await stranger.advertise(5, with: 1)
        await stranger.leave()
        await daemon.stop()
    }

    @Test func `levers on the bus, and beforehand`() async throws {
        let bus = try PrivateBus()
        let daemon = try await VirtualDaemon.start(on: bus.address)
        let world = try await VirtualWorld.open(for: daemon)
        let script = try FaultScript(
            """
            # a bad afternoon
            5s    SetLinkQuality 0 1 0.3 20
            1m    Kill
            1.5m  Start
            """
        )
        await world.run(script) { step, error in print("\(step): \(error)") }
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
        await daemon.passTime(.seconds(24 * 3600))
        #expect(clock.now.sinceStart == .seconds(24 * 3600))
        await daemon.stop()
    }

    @Test func `a run that comes again`() async throws {
        let bus = try PrivateBus()
        let daemon = try await VirtualDaemon.start(on: bus.address, seed: 7)
        await daemon.simulateLinkQuality(LinkQuality(loss: 0.3), between: 0, and: 1)
        #expect(daemon.seed == 7)
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
