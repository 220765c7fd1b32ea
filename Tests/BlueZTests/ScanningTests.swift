import BLE
import BLEDBus
import BLEDBusTesting
import BLETesting
import Testing

@testable import BlueZ

@Suite("Scanning", .timeLimit(.minutes(10)))
struct ScanningTests {
    @Test func `reports a known device when it is heard, not before`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var events = try await adapter.scan(ScanFilter()).makeAsyncIterator()
        try await world.tell(["Paired": .bool(true)])
        for rssi in [-50, -50, -80] as [Int16] { try await world.daemon.hear(rssi) }
        for rssi in [-50, -50, -80] {
            guard case .seen(let sighting) = try await events.next() else {
                Issue.record("nothing was seen")
                return
            }
            #expect(sighting.peer == World.ball)
            #expect(sighting.name == "8-Ball")
            #expect(sighting.rssi == RSSI(rssi))
            #expect(sighting.serviceUUIDs == [World.service])
        }
        await adapter.close()
        #expect(try await events.next() == nil)
    }

    @Test func `reports a new device, and that it was forgotten`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        try await world.daemon.remove(ScriptedDaemon.device)
        var events = try await adapter.scan(ScanFilter(service: World.service)).makeAsyncIterator()
        try await world.daemon.addDevice(["RSSI": .int16(-50)])
        try await world.daemon.remove(ScriptedDaemon.device)
        guard case .seen = try await events.next() else {
            Issue.record("nothing was seen")
            return
        }
        #expect(try await events.next() == .lost(World.ball))
        await adapter.close()
    }

    @Test func `filters for each scan of one discovery`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let all = try await adapter.scan(ScanFilter())
        let other = try await adapter.scan(ScanFilter(name: "9-Ball"))
        try await world.daemon.hear(-50)
        try await world.daemon.hear(-50, ["Name": .string("9-Ball")])
        var names: [String] = []
        for try await case .seen(let sighting) in all {
            names.append(sighting.name)
            if names.count == 2 { break }
        }
        #expect(names == ["8-Ball", "9-Ball"])
        for try await case .seen(let sighting) in other {
            #expect(sighting.name == "9-Ball")
            break
        }
        #expect(await world.daemon.count("StartDiscovery") == 1)
        #expect(await world.daemon.count("SetDiscoveryFilter") == 1)
        await adapter.close()
    }

    @Test func `stops the discovery when nobody listens any more`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let one = Task { for try await _ in try await adapter.scan(ScanFilter()) {} }
        let other = Task { for try await _ in try await adapter.scan(ScanFilter()) {} }
        await world.daemon.wasCalled("StartDiscovery")
        one.cancel()
        other.cancel()
        _ = await (one.result, other.result)
        await world.daemon.wasCalled("StopDiscovery")
        await adapter.close()
    }

    @Test(arguments: [true, false])
    func `is tried again for a while when one that it does not know of is in progress`(
        ends: Bool
    ) async throws {
        let world = try await World()
        let adapter = try await world.open()
        var starts = await world.daemon.hold("StartDiscovery").makeAsyncIterator()
        let scan = Task { try await adapter.scan(ScanFilter()) }
        let busy = ErrorReply(BlueZError.inProgress, "Operation already in progress")
        for pause in Recovery().startPauses {
            await starts.next()?.fail(busy)
            await world.clock.pass(pause)
        }
        let last = await starts.next()
        // Each time the one that is not known is ended.
        #expect(await world.daemon.count("StopDiscovery") == Recovery().startPauses.count)
        if ends {
            last?.reply()
            _ = try await scan.value
        } else {
            last?.fail(busy)
            await #expect { _ = try await scan.value } throws: { error in
                isRadioError(.busy)(error) && "\(error)".contains("bluetoothctl power off")
            }
        }
        await adapter.close()
    }

    @Test func `is not tried again when nobody waits for it`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var starts = await world.daemon.hold("StartDiscovery").makeAsyncIterator()
        let scan = Task { try await adapter.scan(ScanFilter()) }
        await starts.next()?.fail(ErrorReply(BlueZError.inProgress, "In Progress"))
        await world.clock.waitForSleeper(for: .milliseconds(500))
        scan.cancel()
        await #expect(throws: CancellationError.self) { _ = try await scan.value }
        // What is under way meanwhile is a connection's way clear at once.
        let task = Task { try await adapter.link(to: World.ball) }
        await world.daemon.wasCalled("Connect")
        await world.clock.advance(by: .seconds(1))
        try await world.daemon.hear()
        #expect(await world.daemon.count("StartDiscovery") == 1)
        task.cancel()
        await adapter.close()
    }

    private func discovering(_ world: World, _ isDiscovering: Bool) async throws {
        try await world.daemon.set(
            ["Discovering": .bool(isDiscovering)],
            of: Adapter1.interface,
            at: ScriptedDaemon.adapter
        )
    }

    @Test func `begins anew when bluetoothd ends it, and fails when that does not help`()
        async throws
    {
        let world = try await World()
        let adapter = try await world.open()
        var starts = await world.daemon.hold("StartDiscovery").makeAsyncIterator()
        let scan = Task { try await adapter.scan(ScanFilter()) }
        await starts.next()?.reply()
        let events = try await scan.value
        // Twice in a row: what helped is not counted.
        for _ in 1...2 {
            try await discovering(world, true)
            try await discovering(world, false)
            await world.clock.pass(.seconds(3))
            await starts.next()?.reply()
        }
        for pause in [6, 12] {
            await world.clock.pass(.seconds(pause))
            await starts.next()?.reply()
        }
        await world.clock.pass(.seconds(24))
        await #expect { for try await _ in events {} } throws: { error in
            isRadioError(.timedOut)(error) && "\(error)".contains("3 times")
        }
        #expect(await world.daemon.count("StartDiscovery") == 5)
        await adapter.close()
    }

    @Test func `is left alone when bluetoothd goes on with it by itself`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let events = try await adapter.scan(ScanFilter())
        try await discovering(world, true)
        try await discovering(world, false)
        await world.clock.waitForSleeper(for: .seconds(3))
        try await discovering(world, true)
        await world.clock.advance(by: .seconds(10))
        try await world.daemon.hear()
        for try await _ in events { break }
        #expect(await world.daemon.count("StartDiscovery") == 1)
        await adapter.close()
    }

    @Test func `fails when the discovery does not start`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var starts = await world.daemon.hold("StartDiscovery").makeAsyncIterator()
        let scan = Task { try await adapter.scan(ScanFilter()) }
        await starts.next()?.fail(ErrorReply(BlueZError.notReady, "Resource Not Ready"))
        await #expect { _ = try await scan.value } throws: { isRadioError(.off)($0) }
        await adapter.close()
    }

    @Test func `ends at once when it is cancelled before the radio listens`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var starts = await world.daemon.hold("StartDiscovery").makeAsyncIterator()
        let scan = Task { try await adapter.scan(ScanFilter()) }
        let start = await starts.next()
        scan.cancel()
        await #expect(throws: CancellationError.self) { _ = try await scan.value }
        start?.reply()
        await world.daemon.wasCalled("StopDiscovery")
        await adapter.close()
    }

    @Test func `does not wait for a connection that is begun before the radio listens`()
        async throws
    {
        let world = try await World()
        let adapter = try await world.open()
        var starts = await world.daemon.hold("StartDiscovery").makeAsyncIterator()
        var connects = await world.daemon.hold("Connect").makeAsyncIterator()
        let scan = Task { try await adapter.scan(ScanFilter()) }
        let start = await starts.next()
        let connection = Task { try await adapter.connect(to: World.ball) }
        while await !adapter.discovery.isPaused { await Task.yield() }
        start?.reply()
        let connect = await connects.next()
        let events = try await scan.value
        connect?.reply()
        _ = try await connection.value
        await starts.next()?.reply()
        try await world.daemon.hear()
        for try await _ in events { break }
        await adapter.close()
    }

    @Test func `fails when its adapter is closed before the radio listens`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var starts = await world.daemon.hold("StartDiscovery").makeAsyncIterator()
        let scan = Task { try await adapter.scan(ScanFilter()) }
        let start = await starts.next()
        let closing = Task { await adapter.close() }
        await #expect { _ = try await scan.value } throws: { isRadioError(.absent)($0) }
        start?.reply()
        await closing.value
    }

    @Test func `fails with its adapter's power`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let events = try await adapter.scan(ScanFilter())
        try await world.daemon.set(
            ["Powered": .bool(false)],
            of: Adapter1.interface,
            at: ScriptedDaemon.adapter
        )
        await #expect { for try await _ in events {} } throws: { isRadioError(.off)($0) }
        await adapter.close()
    }

    /// With the filter that bluetoothd has by itself each peer would be heard once.
    @Test func `has its filter again after the adapter was off`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        for _ in 1...2 {
            let events = try await adapter.scan(ScanFilter())
            for isPowered in [false, true] {
                try await world.daemon.set(
                    ["Powered": .bool(isPowered)],
                    of: Adapter1.interface,
                    at: ScriptedDaemon.adapter
                )
            }
            await #expect { for try await _ in events {} } throws: { isRadioError(.off)($0) }
        }
        #expect(await world.daemon.count("SetDiscoveryFilter") == 2)
        await adapter.close()
    }

    /// Found by a schedule.
    @Test func `stops a discovery that begins when the power is back and nobody wants it`()
        async throws
    {
        let world = try await World()
        let adapter = try await world.open()
        var starts = await world.daemon.hold("StartDiscovery").makeAsyncIterator()
        let scan = Task { try await adapter.scan(ScanFilter()) }
        let start = await starts.next()
        for isPowered in [false, true] {
            try await world.daemon.set(
                ["Powered": .bool(isPowered)],
                of: Adapter1.interface,
                at: ScriptedDaemon.adapter
            )
        }
        await #expect { _ = try await scan.value } throws: { isRadioError(.off)($0) }
        #expect(await world.daemon.count("StopDiscovery") == 0)
        start?.reply()
        await world.daemon.wasCalled("StopDiscovery")
        await adapter.close()
    }

    @Test(arguments: [true, false])
    func `fails with bluetoothd and with the bus`(losesBus: Bool) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let events = try await adapter.scan(ScanFilter())
        if losesBus { world.bus.stop() } else { await world.daemon.stop() }
        await #expect { for try await _ in events {} } throws: { isRadioError(.noService)($0) }
        await adapter.close()
    }
}
