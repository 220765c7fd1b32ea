import BLE
import BLEDBus
import BLEDBusTesting
import BLETesting
import Testing
import VirtualBlueZ

@testable import BlueZ

@Suite("A device that may advertise other services than it shows", .timeLimit(.minutes(10)))
struct ChangedDeviceTests {
    /// What bluetoothd shows of one whose services it has read.
    private static let read: Value = .strings(
        ["1800", "1801", "180a"].map { "0000\($0)-0000-1000-8000-00805f9b34fb" }
    )

    /// How often the ball's device is forgotten when it is received by a scan, and again after each of some pauses.
    private func forgottenCount(
        _ properties: [String: Value?] = [:],
        _ filter: ScanFilter = ScanFilter(service: World.service),
        after pauses: [Duration] = [.seconds(2)]
    ) async throws -> Int {
        let world = try await World()
        let adapter = try await world.open()
        let events = try await adapter.scan(filter)
        let shown = properties.merging(["UUIDs": Self.read]) { own, _ in own }
        try await world.daemon.hear(-50, shown)
        for pause in pauses {
            await world.clock.advance(by: pause)
            try await world.daemon.hear()
        }
        // Called after whatever the report has led to.
        withExtendedLifetime(events) {}
        await adapter.close()
        return await world.daemon.count("RemoveDevice")
    }

    @Test func `is forgotten by a scan for services`() async throws {
        #expect(try await forgottenCount() == 1)
        let named = ScanFilter(service: World.service, name: "8-Ball")
        #expect(try await forgottenCount([:], named) == 1)
    }

    @Test(
        arguments: [
            ScanFilter(), ScanFilter(name: "8-Ball"), ScanFilter(service: "180A"),
            ScanFilter(service: World.service, name: "Another"),
            ScanFilter(service: World.service, rssi: RSSI(-40)...RSSI(0)),
        ]
    )
    func `stays where a scan does not look for it, or finds it`(filter: ScanFilter) async throws {
        #expect(try await forgottenCount([:], filter) == 0)
    }

    @Test(arguments: ["Connected", "Paired", "Bonded", "Trusted", "Blocked"])
    func `stays while it is connected or somebody wants it remembered`(
        property: String
    ) async throws {
        #expect(try await forgottenCount([property: .bool(true)]) == 0)
    }

    @Test func `stays when its services were not read, and for two seconds`() async throws {
        let advertised: Value = .strings(["0000180a-0000-1000-8000-00805f9b34fb"])
        #expect(try await forgottenCount(["UUIDs": advertised]) == 0)
        #expect(try await forgottenCount(after: [.milliseconds(1999)]) == 0)
    }

    @Test(arguments: [
        ([14], 1), ([1, 1], 1), ([1, 14], 1), ([15], 0), ([1, 15], 0), ([15, 1, 1], 1),
    ])
    func `stays for two seconds more when it was not received for fifteen`(
        pauses: [Int],
        count: Int
    ) async throws {
        #expect(try await forgottenCount(after: pauses.map { .seconds($0) }) == count)
    }

    @Test func `stays for two seconds more when bluetoothd had forgotten it`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let events = try await adapter.scan(ScanFilter(service: World.service))
        try await world.daemon.hear(-50, ["UUIDs": Self.read])
        try await world.daemon.remove(ScriptedDaemon.device)
        await world.clock.advance(by: .seconds(2))
        try await world.daemon.addDevice(["UUIDs": Self.read, "RSSI": .int16(-50)])
        await world.clock.advance(by: .milliseconds(1999))
        try await world.daemon.hear()
        await adapter.close()
        #expect(await world.daemon.count("RemoveDevice") == 0)
        withExtendedLifetime(events) {}
    }

    @Test func `is one of 256 at most that a scan has forgotten within ten minutes`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let events = try await adapter.scan(ScanFilter(service: World.service))
        let paths = try (0..<300).map { try ScriptedDaemon.adapter.appending("dev_\($0)") }
        for (number, path) in paths.enumerated() {
            let address = "C0:00:00:00:\(number / 100):\(number % 100)"
            try await world.daemon.addDevice(
                ["UUIDs": Self.read, "RSSI": .int16(-50)],
                at: path,
                address: address
            )
        }
        await world.daemon.untilHandled()
        for (pause, count) in [(2, 256), (598, 256), (2, 256), (2, 512)] {
            await world.clock.advance(by: .seconds(pause))
            for path in paths {
                let rssi = ["RSSI": Value.int16(-50)]
                try await world.daemon.set(rssi, of: Device1.interface, at: path)
            }
            #expect(await world.daemon.count("RemoveDevice") == count)
        }
        await adapter.close()
        withExtendedLifetime(events) {}
    }

    @Test func `is forgotten again after ten minutes, and by another scan`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let filter = ScanFilter(service: World.service)
        let first = try await adapter.scan(filter)
        try await world.daemon.hear(-50, ["UUIDs": Self.read])
        for (pause, count) in [(2, 1), (599, 1), (1, 1), (2, 2)] {
            await world.clock.advance(by: .seconds(pause))
            try await world.daemon.hear()
            try await world.daemon.hear()
            await world.daemon.wasCalled("RemoveDevice")
            #expect(await world.daemon.count("RemoveDevice") == count)
        }
        let second = try await adapter.scan(filter)
        try await world.daemon.hear()
        await world.clock.advance(by: .seconds(2))
        try await world.daemon.hear()
        try await world.daemon.hear()
        await adapter.close()
        #expect(await world.daemon.count("RemoveDevice") == 3)
        withExtendedLifetime((first, second)) {}
    }

    /// Removing it here ends no more than what another program's removal does.
    @Test func `is not forgotten again within ten minutes when bluetoothd has removed it`()
        async throws
    {
        let world = try await World()
        let adapter = try await world.open()
        let events = try await adapter.scan(ScanFilter(service: World.service))
        let shown: [String: Value] = ["UUIDs": Self.read, "RSSI": .int16(-50)]
        try await world.daemon.hear(-50, shown)
        await world.clock.advance(by: .seconds(2))
        try await world.daemon.hear()
        await world.daemon.wasCalled("RemoveDevice")
        try await world.daemon.remove(ScriptedDaemon.device)
        try await world.daemon.addDevice(shown)
        for pause in [2, 590, 2] {
            await world.clock.advance(by: .seconds(pause))
            try await world.daemon.hear()
        }
        await adapter.close()
        #expect(await world.daemon.count("RemoveDevice") == 1)
        withExtendedLifetime(events) {}
    }

    /// It begins to advertise, and calls.
    @Test func `stays for two seconds more when it was connected in between`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let events = try await adapter.scan(ScanFilter(service: World.service))
        try await world.daemon.hear(-50, ["UUIDs": Self.read])
        await world.clock.advance(by: .seconds(1))
        try await world.tell(["Connected": .bool(true)])
        try await world.tell(["Connected": .bool(false)])
        await world.clock.advance(by: .seconds(1))
        try await world.daemon.hear()
        await world.clock.advance(by: .milliseconds(1999))
        try await world.daemon.hear()
        await adapter.close()
        #expect(await world.daemon.count("RemoveDevice") == 0)
        withExtendedLifetime(events) {}
    }

    @Test func `stays while this program connects to it`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let attempt = Task { try await adapter.link(to: World.ball) }
        let call = await calls.next()
        let events = try await adapter.scan(ScanFilter(service: World.service))
        try await world.daemon.hear(-50, ["UUIDs": Self.read])
        await world.clock.advance(by: .seconds(2))
        try await world.daemon.hear()
        attempt.cancel()
        _ = await attempt.result
        call?.fail(ErrorReply(BlueZError.failed, "cancelled"))
        await adapter.close()
        #expect(await world.daemon.count("RemoveDevice") == 0)
        withExtendedLifetime(events) {}
    }

    /// It has not been called yet.
    @Test func `stays while this program is about to connect to it`() async throws {
        let world = try await World()
        let adapter = try await world.open(longestCallPause: .seconds(1))
        try await world.advertise()
        let events = try await adapter.scan(ScanFilter(service: World.service))
        try await world.daemon.hear(-50, ["UUIDs": Self.read])
        await world.clock.advance(by: .seconds(2))
        let attempt = Task { try await adapter.link(to: World.ball) }
        await world.clock.waitForSleeper(for: .zero ... .seconds(1))
        try await world.daemon.hear()
        attempt.cancel()
        _ = await attempt.result
        await adapter.close()
        #expect(await world.daemon.count("RemoveDevice") == 0)
        withExtendedLifetime(events) {}
    }

    /// A scan that has found nobody for a while looks at what is advertised.
    @Test(arguments: [BlueZVersion.v5_66, .v5_82, .v5_87])
    func `is found by a service that it began after its link`(version: BlueZVersion) async throws {
        let pair = try await Pair(version)
        let (publication, link) = try await pair.meet()
        await link.disconnect()
        // Returns when the connection has ended.
        await pair.asking.close()
        await publication.withdraw()
        let began = GATTService(
            uuid: "180F",
            characteristics: [GATTCharacteristic(uuid: "2A19", properties: .read)]
        )
        let battery = try await pair.answering.publish(
            began,
            advertising: Advertisement(localName: "Battery", serviceUUIDs: [began.uuid]),
            responder: ScriptedResponder()
        )
        let asking = try await Adapter.open("hci0", at: BusAddress(pair.bus.address))
        let filter = ScanFilter(service: began.uuid)
        let found = try await withTimeLimit(.seconds(60), on: ContinuousClock()) {
            for try await case .seen(let sighting) in try await asking.scan(filter) {
                return sighting
            }
            throw CancellationError()
        }
        #expect(found?.name == "Battery")
        #expect(found?.serviceUUIDs == [began.uuid])
        await battery.withdraw()
        await asking.close()
        await pair.close()
    }
}
