import BLE
import DBus
import DBusTesting
import Testing

@testable import BlueZ

/// What others do with bluetoothd's discovery while one of ours has yet to begin.
@Suite("A discovery that is tried again", .timeLimit(.minutes(3)))
struct DiscoveryRetryTests {
    private let inProgress = ErrorReply(BlueZError.inProgress, "Operation already in progress")

    private func discovering(_ world: World, _ isDiscovering: Bool) async throws {
        try await world.daemon.set(
            ["Discovering": .bool(isDiscovering)],
            of: Adapter1.interface,
            at: ScriptedDaemon.adapter
        )
    }

    @Test func `starts though another program discovers meanwhile`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var starts = await world.daemon.hold("StartDiscovery").makeAsyncIterator()
        let scan = Task { try await adapter.scan(ScanFilter()) }
        await starts.next()?.fail(inProgress)
        let pause = try #require(Recovery().startPauses.first)
        await world.clock.sleeper(for: pause...pause)
        try await discovering(world, true)
        await world.clock.pass(pause)
        await starts.next()?.reply()
        _ = try await scan.value
        await adapter.close()
    }

    @Test func `has not failed before once bluetoothd discovers`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var starts = await world.daemon.hold("StartDiscovery").makeAsyncIterator()
        let scan = Task { try await adapter.scan(ScanFilter()) }
        await starts.next()?.fail(inProgress)
        await world.clock.pass(Recovery().startPauses[0])
        let start = await starts.next()
        try await discovering(world, true)
        start?.reply()
        let events = try await scan.value
        try await discovering(world, false)
        // The first silence; each failure in a row would double it.
        let silence = Recovery().discoveryRestartDelay
        #expect(await world.clock.sleeper(for: silence...(silence * 8)) == silence)
        await adapter.close()
        for try await _ in events {}
    }
}
