import BLE
import BLEDBus
import BLEDBusTesting
import BLETesting
import Testing

@testable import BlueZ

/// What others do with bluetoothd's discovery while one of ours has yet to begin.
@Suite("A discovery that is tried again", .timeLimit(.minutes(10)))
struct DiscoveryRetryTests {
    private let inProgress = ErrorReply(BlueZError.inProgress, "Operation already in progress")

    private func discovering(_ world: World, _ isDiscovering: Bool) async throws {
        try await world.daemon.set(
            ["Discovering": .bool(isDiscovering)],
            of: Adapter1.interface,
            at: ScriptedDaemon.adapter
        )
    }

    /// A scan whose call for a discovery waits for its reply.
    private struct WaitingScan {
        let world: World
        let adapter: Adapter
        let scan: Task<AsyncThrowingStream<ScanEvent, any Error>, any Error>
        let start: MethodCall
        /// Later calls.
        var starts: AsyncStream<MethodCall>.Iterator

        init() async throws {
            let world = try await World()
            let adapter = try await world.open()
            starts = await world.daemon.hold("StartDiscovery").makeAsyncIterator()
            scan = Task { try await adapter.scan(ScanFilter()) }
            start = try #require(await starts.next())
            (self.world, self.adapter) = (world, adapter)
        }
    }

    @Test func `starts though another program discovers meanwhile`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var starts = await world.daemon.hold("StartDiscovery").makeAsyncIterator()
        let scan = Task { try await adapter.scan(ScanFilter()) }
        await starts.next()?.fail(inProgress)
        let pause = try #require(Recovery().startPauses.first)
        await world.clock.waitForSleeper(for: pause)
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
        await world.clock.waitForSleeper(for: silence)
        await adapter.close()
        for try await _ in events {}
    }

    // MARK: - No reply

    @Test func `is not waited for that another program's has overtaken`() async throws {
        let waiting = try await WaitingScan()
        let (world, adapter) = (waiting.world, waiting.adapter)
        try await discovering(world, true)
        var events = try await waiting.scan.value.makeAsyncIterator()
        try await world.daemon.hear()
        guard case .seen = try await events.next() else {
            Issue.record("nothing was seen")
            return
        }
        // It runs on until this connection ends: bluetoothd does not let it be stopped, or started.
        events = try await adapter.scan(ScanFilter()).makeAsyncIterator()
        try await world.daemon.hear()
        guard case .seen = try await events.next() else {
            Issue.record("nothing was seen by the second scan")
            return
        }
        #expect(await world.daemon.count("StopDiscovery") == 0)
        await adapter.close()
        waiting.start.reply()
    }

    @Test func `is not waited for long while another program's goes on`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        try await discovering(world, true)
        var starts = await world.daemon.hold("StartDiscovery").makeAsyncIterator()
        let scan = Task { try await adapter.scan(ScanFilter()) }
        let unanswered = await starts.next()
        await world.clock.pass(Recovery().startReplyLimit)
        _ = try await scan.value
        await adapter.close()
        unanswered?.reply()
    }

    @Test func `is stopped once its reply has come after all`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var starts = await world.daemon.hold("StartDiscovery").makeAsyncIterator()
        let scan = Task { for try await _ in try await adapter.scan(ScanFilter()) {} }
        let late = await starts.next()
        try await discovering(world, true)
        scan.cancel()
        _ = await scan.result
        late?.reply()
        await world.daemon.wasCalled("StopDiscovery")
        await adapter.close()
    }

    @Test func `is started again when it ended before its reply came`() async throws {
        var waiting = try await WaitingScan()
        let (world, adapter) = (waiting.world, waiting.adapter)
        try await discovering(world, true)
        let events = try await waiting.scan.value
        try await discovering(world, false)
        waiting.start.reply()
        await world.daemon.untilHandled()
        await world.clock.pass(Recovery().discoveryRestartDelay)
        await world.daemon.wasCalled("StopDiscovery")
        await waiting.starts.next()?.reply()
        await adapter.close()
        for try await _ in events {}
    }

    /// It gives way to no connection, as it cannot be stopped.
    @Test func `is started again after a connection during which its time was over`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var starts = await world.daemon.hold("StartDiscovery").makeAsyncIterator()
        var connects = await world.daemon.hold("Connect").makeAsyncIterator()
        let scan = Task { try await adapter.scan(ScanFilter()) }
        let unanswered = await starts.next()
        try await discovering(world, true)
        let events = try await scan.value
        try await discovering(world, false)
        let connecting = Task { try await adapter.connect(to: World.ball) }
        let connect = await connects.next()
        await world.clock.pass(Recovery().discoveryRestartDelay)
        await world.clock.waitForSleeper(for: Recovery().discoveryRestartDelay)
        #expect(await world.daemon.count("StopDiscovery") == 0)
        connect?.reply()
        _ = try await connecting.value
        await world.clock.advance(by: Recovery().discoveryRestartDelay)
        await world.daemon.wasCalled("StopDiscovery")
        await starts.next()?.reply()
        await adapter.close()
        for try await _ in events {}
        unanswered?.reply()
    }

    @Test func `is started again when its late reply is an error`() async throws {
        var waiting = try await WaitingScan()
        let (world, adapter) = (waiting.world, waiting.adapter)
        try await discovering(world, true)
        let events = try await waiting.scan.value
        waiting.start.fail(inProgress)
        await world.clock.pass(Recovery().startPauses[0])
        await waiting.starts.next()?.reply()
        await adapter.close()
        for try await _ in events {}
    }

    @Test(arguments: [BlueZError.inProgress, BlueZError.failed, nil] as [ErrorName?])
    func `that is started again goes on whatever the late reply to the first call is`(
        error: ErrorName?
    ) async throws {
        var waiting = try await WaitingScan()
        let (world, adapter) = (waiting.world, waiting.adapter)
        try await discovering(world, true)
        var events = try await waiting.scan.value.makeAsyncIterator()
        try await discovering(world, false)
        await world.clock.pass(Recovery().discoveryRestartDelay)
        let start = await waiting.starts.next()
        if let error { waiting.start.fail(ErrorReply(error)) } else { waiting.start.reply() }
        await world.daemon.untilHandled()
        start?.reply()
        try await discovering(world, true)
        try await world.daemon.hear()
        guard case .seen = try await events.next() else {
            Issue.record("nothing was seen")
            return
        }
        #expect(await world.daemon.count("StopDiscovery") == 1)
        await adapter.close()
    }

    /// An adapter that takes a discovery for begun once bluetoothd discovers, and whose call for one has little time.
    private func hurried(_ world: World, _ limit: Duration) async throws -> Adapter {
        var recovery = Recovery()
        recovery.startReplyLimit = .zero
        recovery.startLimit = limit
        let address = BusAddress(world.bus.address)
        let adapter = try await Adapter.open(nil, at: address, recovery: recovery)
        await world.daemon.know([adapter.connection.uniqueName])
        return adapter
    }

    @Test func `goes on without its reply for longer than a call waits`() async throws {
        let world = try await World()
        let limit = Duration.milliseconds(500)
        let adapter = try await hurried(world, limit)
        try await discovering(world, true)
        let starts = await world.daemon.hold("StartDiscovery")
        var events = try await adapter.scan(ScanFilter()).makeAsyncIterator()
        // The time of a later call is over later.
        await #expect(throws: BusError.self) {
            let start = Adapter1(path: adapter.path).startDiscovery
            _ = try await adapter.connection.call(start, timeLimit: limit)
        }
        try await world.daemon.hear()
        guard case .seen = try await events.next() else {
            Issue.record("nothing was seen")
            return
        }
        #expect(await world.daemon.count("StopDiscovery") == 0)
        await adapter.close()
        withExtendedLifetime(starts) {}
    }

    @Test func `is stopped, should it begin, when its time is over`() async throws {
        let world = try await World()
        let adapter = try await hurried(world, .milliseconds(100))
        let starts = await world.daemon.hold("StartDiscovery")
        await #expect {
            _ = try await adapter.scan(ScanFilter())
        } throws: {
            isRadioError(.timedOut)($0)
        }
        await world.daemon.wasCalled("StopDiscovery")
        await adapter.close()
        withExtendedLifetime(starts) {}
    }

    @Test func `does not keep a connection waiting that it is stopped for`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let events = try await adapter.scan(ScanFilter())
        try await world.daemon.addServices()
        var stops = await world.daemon.hold("StopDiscovery").makeAsyncIterator()
        let connecting = Task { try await adapter.link(to: World.ball) }
        let unanswered = await stops.next()
        await world.clock.pass(Recovery().stopReplyLimit)
        await world.daemon.wasCalled("Connect")
        connecting.cancel()
        _ = await connecting.result
        await adapter.close()
        for try await _ in events {}
        unanswered?.reply()
    }
}
