import BLE
import DBus
import DBusTesting
import Testing

@testable import BlueZ

@Suite("Scanning", .timeLimit(.minutes(1)))
struct ScanningTests {
    @Test func `reports a known device when it is heard, not before`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var events = try await adapter.scan(ScanFilter()).makeAsyncIterator()
        try await world.daemon.set(
            ["Paired": .bool(true)],
            of: Device1.interface,
            at: ScriptedDaemon.device
        )
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

    @Test func `fails when one that it does not know of is in progress, and ends it`() async throws
    {
        let world = try await World()
        let adapter = try await world.open()
        var starts = await world.daemon.hold("StartDiscovery").makeAsyncIterator()
        let scan = Task { try await adapter.scan(ScanFilter()) }
        let start = await starts.next()
        start?.fail(ErrorReply(BlueZError.inProgress, "Operation already in progress"))
        await #expect { _ = try await scan.value } throws: { isRadioError(.busy)($0) }
        await world.daemon.wasCalled("StopDiscovery")
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
