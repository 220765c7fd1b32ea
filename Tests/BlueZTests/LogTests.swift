import BLE
import BLEDBus
import BLEDBusTesting
import BLETesting
import Logging
import Testing

@testable import BlueZ

@Suite("The adapter's log", .timeLimit(.minutes(10)))
struct LogTests {
    private let log = RecordedLog()

    private func open(_ world: World) async throws -> Adapter {
        let adapter = try await Adapter.open(
            nil,
            at: BusAddress(world.bus.address),
            logger: log.logger,
            recovery: Recovery(clock: world.clock)
        )
        await world.daemon.know([adapter.connection.uniqueName])
        return adapter
    }

    private func logged() -> [String] { log.lines }

    @Test func `says at notice that the power is off, and on again`() async throws {
        let world = try await World()
        let adapter = try await open(world)
        for isOn in [false, true] {
            try await world.daemon.set(
                ["Powered": .bool(isOn)],
                of: Adapter1.interface,
                at: ScriptedDaemon.adapter
            )
        }
        let lines = logged()
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("notice hci0 the adapter is off: ") == true)
        #expect(lines.last == "notice hci0 the adapter is on")
        await adapter.close()
    }

    @Test func `says at notice that bluetoothd is gone`() async throws {
        let world = try await World()
        let adapter = try await open(world)
        var states = await adapter.states().makeAsyncIterator()
        #expect(await states.next() == .on)
        await world.daemon.stop()
        #expect(await states.next() == .absent)
        #expect(logged() == ["notice hci0 the adapter is absent: \(BlueZError.noDaemon)"])
        await adapter.close()
    }

    @Test func `says at notice which link was lost, and at info what is tried again`() async throws
    {
        let world = try await World()
        let adapter = try await open(world)
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let task = Task { try await adapter.link(to: World.ball) }
        await calls.next()?.fail(ErrorReply(BlueZError.failed, "le-connection-abort-by-local"))
        await world.clock.waitForSleeper(for: .milliseconds(187)...(.milliseconds(250)))
        await world.clock.advance(by: .milliseconds(250))
        await calls.next()?.reply()
        try await world.daemon.addServices()
        try await world.tell(["ServicesResolved": .bool(true), "Connected": .bool(true)])
        _ = try await task.value
        try await world.tell(["Connected": .bool(false)])
        let lines = logged()
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("info hci0 \(World.ball) attempt 1 failed: ") == true)
        #expect(lines.last == "notice hci0 \(World.ball) the link to \(World.ball) was lost")
        await adapter.close()
    }
}
