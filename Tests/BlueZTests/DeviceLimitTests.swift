import BLE
import BLEDBus
import BLEDBusTesting
import Testing

@testable import BlueZ

@Suite("Among thousands of devices", .timeLimit(.minutes(10)))
struct DeviceLimitTests {
    private static func path(_ number: Int) throws -> ObjectPath {
        try ScriptedDaemon.adapter.appending("dev_\(number)")
    }

    private func addStrangers(_ numbers: Range<Int>, to world: World) async throws {
        for number in numbers {
            try await world.daemon.addDevice(
                ["Name": .string("stranger \(number)"), "RSSI": .int16(-80)],
                at: Self.path(number),
                address: "C0:00:00:00:\(number / 100):\(number % 100)"
            )
        }
        // A reply comes behind all that was told before.
        try await world.daemon.hear()
    }

    @Test func `an adapter remembers a thousand, and who is in use`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        try await addStrangers(0..<1500, to: world)
        let count = await adapter.mirror.objects(with: Device1.interface).count
        #expect((768...1024).contains(count))
        #expect(await adapter.sightings.surplus(over: 1024) { _ in 0 }.isEmpty)
        #expect(try await link.read(World.answer) == [42])
        await adapter.close()
    }

    @Test func `a scan keeps what it reported, and hears again who was forgotten`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var balls = try await adapter.scan(ScanFilter(name: "8-Ball")).makeAsyncIterator()
        var first = try await adapter.scan(ScanFilter(name: "stranger 0")).makeAsyncIterator()
        try await world.daemon.hear()
        _ = try await balls.next()
        try await addStrangers(0..<1, to: world)
        _ = try await first.next()
        try await addStrangers(1..<1200, to: world)
        // Both were reported, and so were remembered while 200 others were not.
        #expect(await adapter.mirror[ScriptedDaemon.device, Device1.interface] != nil)
        #expect(await adapter.mirror[try Self.path(0), Device1.interface] != nil)
        #expect(await adapter.mirror[try Self.path(1), Device1.interface] == nil)
        var forgotten = try await adapter.scan(ScanFilter(name: "stranger 1")).makeAsyncIterator()
        try await world.daemon.set(
            ["RSSI": .int16(-40)],
            of: Device1.interface,
            at: Self.path(1)
        )
        guard case .seen(let sighting) = try await forgotten.next() else {
            Issue.record("it was not heard again")
            return
        }
        #expect(sighting.rssi == RSSI(-40))
        await adapter.close()
    }
}
