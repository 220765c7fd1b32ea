import BLE
import BLEDBus
import BLEDBusTesting
import Testing
import VirtualBlueZ

@testable import BlueZ

@Suite("An adapter that comes back", .timeLimit(.minutes(10)))
struct FollowingTests {
    private static let address = "00:AA:01:00:00:00"

    private func unplug(_ world: World) async throws {
        try await world.daemon.remove(ScriptedDaemon.device, ScriptedDaemon.adapter)
    }

    @Test(arguments: [nil, address, address.lowercased()])
    func `is the same under another name`(name: String?) async throws {
        let world = try await World()
        let adapter = try await world.open(name)
        #expect(adapter.name == "hci0")
        var states = await adapter.states().makeAsyncIterator()
        #expect(await states.next() == .on)
        try await unplug(world)
        #expect(await states.next() == .absent)
        // Another one is not it.
        try await world.daemon.addAdapter("hci1")
        #expect(await adapter.state == .absent)
        try await world.daemon.addAdapter("hci2", address: Self.address)
        #expect(await states.next() == .on)
        #expect(adapter.name == "hci2")

        var starts = await world.daemon.hold("StartDiscovery").makeAsyncIterator()
        let scan = Task { try await adapter.scan(ScanFilter()) }
        let start = await starts.next()
        #expect(start?.message.path == "/org/bluez/hci2")
        start?.reply()
        let events = try await scan.value
        try await world.daemon.addDevice(
            ["RSSI": .int16(-50)],
            at: "/org/bluez/hci2/dev_00_AA_01_01_00_01"
        )
        for try await _ in events { break }
        #expect(await world.daemon.count("SetDiscoveryFilter") == 1)
        // What it tells arrives, too.
        try await world.daemon.set(
            ["Powered": .bool(false)],
            of: Adapter1.interface,
            at: "/org/bluez/hci2"
        )
        #expect(await states.next() == .off)
        await adapter.close()
    }

    @Test func `that was opened by its name is what has that name`() async throws {
        let world = try await World()
        let adapter = try await world.open("hci0")
        var states = await adapter.states().makeAsyncIterator()
        #expect(await states.next() == .on)
        try await unplug(world)
        #expect(await states.next() == .absent)
        try await world.daemon.addAdapter("hci2", address: Self.address)
        #expect(await adapter.state == .absent)
        try await world.daemon.addAdapter("hci0", address: "00:AA:01:00:00:07")
        #expect(await states.next() == .on)
        #expect(adapter.name == "hci0")
        await adapter.close()
    }

    @Test func `is told from another that has its name by now`() async throws {
        let world = try await World()
        let adapter = try await world.open(nil)
        var states = await adapter.states().makeAsyncIterator()
        #expect(await states.next() == .on)
        await world.daemon.stop()
        #expect(await states.next() == .absent)
        let next = try await ScriptedDaemon(on: world.bus, adapters: [])
        try await next.addAdapter("hci0", address: "00:AA:01:00:00:07")
        #expect(await adapter.state == .absent)
        try await next.addAdapter("hci1", address: Self.address)
        #expect(await states.next() == .on)
        #expect(adapter.name == "hci1")
        await adapter.close()
    }

    @Test func `says what happens once, though it was named anew twice at once`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        try await adapter.rename(to: ["hci2", "hci0"], address: Self.address)
        await adapter.following?.value
        #expect(await adapter.state == .on)
        var events = try await adapter.scan(ScanFilter()).makeAsyncIterator()
        for strength in [-50, -60] {
            try await world.daemon.hear(Int16(strength))
            guard case .seen(let sighting) = try await events.next() else {
                Issue.record("nothing was seen")
                return
            }
            #expect(sighting.rssi == RSSI(strength))
        }
        await adapter.close()
    }

    @Test func `sets its filter anew`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        for _ in 1...2 {
            let events = try await adapter.scan(ScanFilter())
            try await unplug(world)
            await #expect { for try await _ in events {} } throws: { isRadioError(.absent)($0) }
            try await world.daemon.addAdapter()
            for await state in await adapter.states() where state == .on { break }
        }
        #expect(await world.daemon.count("SetDiscoveryFilter") == 2)
        await adapter.close()
    }

    @Test(arguments: [true, false])
    func `serves again what is published anew`(isUnplugged: Bool) async throws {
        let pair = try await Pair()
        _ = try await pair.meet()
        var next: VirtualDaemon?
        if isUnplugged {
            await pair.daemon.simulateUnplugging(of: 1)
            await pair.daemon.simulatePlugging(of: 1)
        } else {
            await pair.daemon.kill()
            next = try await VirtualDaemon.start(on: pair.bus.address, timing: Pair.timing)
        }
        for await case .ended(let error) in pair.responder.events {
            #expect(error.code == (isUnplugged ? .absent : .noService))
            break
        }
        for adapter in [pair.answering, pair.asking] {
            for await state in await adapter.states() where state == .on { break }
        }
        let again = try await pair.answering.publish(responder: pair.responder)
        let link = try await pair.connect()
        try await link.subscribe(to: World.answer)
        try await link.write([1], to: World.question)
        await again.withdraw()
        await pair.close()
        await next?.stop()
    }
}

extension Adapter {
    /// bluetoothd has named it anew several times before the bus replies to anything.
    fileprivate func rename(to names: [String], address: String) throws {
        for name in names {
            try show("InterfacesRemoved", [.objectPath(path), .strings([Adapter1.interface])])
            let properties = Value.properties([
                "Address": .string(address), "Powered": .bool(true),
            ])
            let interfaces = Value.dictionary(
                key: "s",
                value: "a{sv}",
                [.init(.string(Adapter1.interface), properties)]
            )
            let next = try Adapter1.parent.appending(name)
            try show("InterfacesAdded", [.objectPath(next), interfaces])
        }
    }

    private func show(_ member: String, _ body: [Value]) throws {
        let objects = "org.freedesktop.DBus.ObjectManager"
        let signal = try Message.signal(from: .root, objects, member, body)
        for change in try mirror.apply(signal) { handle(change) }
    }
}
