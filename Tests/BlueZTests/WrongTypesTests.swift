import BLE
import BLEDBus
import Testing

@testable import BlueZ

/// A daemon whose objects are of another shape than its documentation says.
@Suite("Objects of the wrong shape", .timeLimit(.minutes(10)))
struct WrongTypesTests {
    /// One value of each type, and those that arithmetic would fail over.
    private static let values: [Value] = [
        .byte(1), .bool(true), .int16(-1), .uint16(.max), .int32(.min), .uint32(.max),
        .int64(.max), .int64(.min), .uint64(.max), .double(.nan), .string(""), .string("\u{1B}[2J"),
        .objectPath("/"), .signature("a{sv}"), .bytes([]), .strings([]), .properties([:]),
        .variant(.variant(.int64(.min))), .structure([.byte(1)]),
    ]

    @Test(arguments: values)
    func `are read as far as they go`(value: Value) {
        let names = [
            "Address", "AddressType", "Name", "Alias", "RSSI", "UUIDs", "Connected",
            "ServicesResolved", "Powered", "UUID", "Service", "Flags", "MTU", "Value", "Primary",
        ]
        let properties = PropertyMap(Dictionary(uniqueKeysWithValues: names.map { ($0, value) }))
        let device = Device1(path: "/org/bluez/hci0/dev_1", properties: properties)
        var sightings = Sightings()
        sightings.load([device])
        _ = sightings.add(device)
        let rssi = sightings.sighting(of: device).rssi
        #expect(rssi == nil || value == .int16(-1))
        _ = (device.isConnected, device.areServicesResolved, device.serviceUUIDs)
        _ = Adapter1(path: "/org/bluez/hci0", properties: properties).isPowered
        var services = RemoteServices()
        services.add("/s", GattService1.interface, properties)
        services.add("/s/c", GattCharacteristic1.interface, properties)
        #expect(services.all.isEmpty)
        let mtuBytes = GattCharacteristic1(path: "/s/c", properties: properties).mtuBytes
        #expect(mtuBytes == (value == .uint16(.max) ? 65_535 : nil))
    }

    @Test func `have an MTU of 23 at least`() {
        for mtu in [0, 5, 22, 23] as [UInt16] {
            let properties = PropertyMap(["MTU": .uint16(mtu)])
            #expect(GattCharacteristic1(path: "/c", properties: properties).mtuBytes == 23)
        }
    }

    @Test(arguments: values)
    func `do no harm to a link`(value: Value) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        let names = ["UUID", "Service", "Flags", "MTU", "Value", "Notifying"]
        try await world.daemon.set(
            Dictionary(uniqueKeysWithValues: names.map { ($0, value) }),
            of: GattCharacteristic1.interface,
            at: ScriptedDaemon.answer
        )
        try await world.tell(["Name": value, "RSSI": value, "UUIDs": value, "AddressType": value])
        #expect(await link.mtuBytes >= 23)
        #expect(try await link.read(World.answer) == [42])
        await adapter.close()
    }

    /// What bluetoothd tells with a read of an application's, of the wrong type.
    @Test(arguments: values)
    func `in the options of a request do no harm`(value: Value) async throws {
        let ball = try await PublishedBall()
        await ball.responder.answer(.success([1, 2, 3]))
        let options: [String: Value] = ["device": value, "mtu": value, "offset": value]
        let isOffset = value == .uint16(.max)
        do {
            #expect(try await ball.read(options) == [1, 2, 3])
            #expect(!isOffset)
        } catch let error as ErrorReply {
            #expect(isOffset && error.name == BlueZError.invalidOffset, "\(error)")
        }
        await ball.adapter.close()
    }

    @Test func `in the reply to a read are an error`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var calls = await world.daemon.hold("ReadValue").makeAsyncIterator()
        for value in Self.values where value != .bytes([]) {
            let read = Task { try await link.read(World.answer) }
            let call = await calls.next()
            call?.reply([value])
            await #expect { try await read.value } throws: { isRadioError(.failed)($0) }
        }
        await adapter.close()
    }
}
