import BLE
import BLEDBus
import BLEDBusTesting
import Testing

@testable import BlueZ

@Suite("The state of an adapter", .timeLimit(.minutes(10)))
struct StateTests {
    private func power(_ world: World, _ isPowered: Bool) async throws {
        try await world.daemon.set(
            ["Powered": .bool(isPowered)],
            of: Adapter1.interface,
            at: ScriptedDaemon.adapter
        )
    }

    @Test func `follows its power`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var states = await adapter.states().makeAsyncIterator()
        #expect(await states.next() == .on)
        try await power(world, false)
        #expect(await states.next() == .off)
        #expect(await adapter.state == .off)
        try await power(world, true)
        #expect(await states.next() == .on)
        await adapter.close()
        #expect(await states.next() == .absent)
        #expect(await states.next() == nil)
    }

    @Test func `is absent while the adapter is gone`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var states = await adapter.states().makeAsyncIterator()
        #expect(await states.next() == .on)
        try await world.daemon.remove(ScriptedDaemon.device, ScriptedDaemon.adapter)
        #expect(await states.next() == .absent)
        await #expect {
            _ = try await adapter.scan(ScanFilter())
        } throws: {
            isRadioError(.absent)($0)
        }
        try await world.daemon.addAdapter()
        #expect(await states.next() == .on)
        await adapter.close()
    }

    @Test func `is absent while bluetoothd is gone`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var states = await adapter.states().makeAsyncIterator()
        #expect(await states.next() == .on)
        await world.daemon.stop()
        #expect(await states.next() == .absent)
        await #expect {
            _ = try await adapter.scan(ScanFilter())
        } throws: {
            isRadioError(.noService)($0)
        }
        let next = try await ScriptedDaemon(on: world.bus)
        #expect(await states.next() == .on)
        let events = try await adapter.scan(ScanFilter())
        try await next.hear()
        for try await _ in events { break }
        #expect(await next.count("SetDiscoveryFilter") == 1)
        await adapter.close()
    }

    @Test func `ends with the bus`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var states = await adapter.states().makeAsyncIterator()
        #expect(await states.next() == .on)
        world.bus.stop()
        #expect(await states.next() == .absent)
        #expect(await states.next() == nil)
        var late = await adapter.states().makeAsyncIterator()
        #expect(await late.next() == .absent)
        #expect(await late.next() == nil)
        await adapter.close()
    }
}
