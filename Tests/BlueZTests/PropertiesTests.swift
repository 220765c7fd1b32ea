import BLE
import BLEDBus
import Testing

@testable import BlueZ

@Suite("The properties of bluetoothd's objects")
struct PropertiesTests {
    private func device(_ properties: [String: Value]) -> Device1 {
        Device1(path: "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_02", properties: PropertyMap(properties))
    }

    @Test func `tell a device`() {
        let device = device([
            "Address": .string("F0:F1:F2:F3:F4:02"), "AddressType": .string("random"),
            "Name": .string("8-Ball"), "RSSI": .int16(-50), "Connected": .bool(true),
            "ServicesResolved": .bool(true),
            "UUIDs": .strings(["0000180a-0000-1000-8000-00805f9b34fb", "nonsense"]),
        ])
        #expect(device.peer == PeerID(rawValue: "F0:F1:F2:F3:F4:02"))
        #expect(device.address == BluetoothAddress("F0:F1:F2:F3:F4:02", kind: .random))
        #expect(device.name == "8-Ball")
        #expect(device.rssi == RSSI(-50))
        #expect(device.serviceUUIDs == [BluetoothUUID(assignedNumber: 0x180A)])
        #expect(device.isConnected)
        #expect(device.areServicesResolved)
    }

    @Test func `may be absent`() {
        let device = device([:])
        #expect(device.peer.rawValue == "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_02")
        #expect(device.address == nil)
        #expect(device.name == nil)
        #expect(device.rssi == nil)
        #expect(!device.wasReceived)
        #expect(device.serviceUUIDs.isEmpty)
        #expect(!device.isConnected)
        #expect(!device.areServicesResolved)
    }

    @Test func `may be of other types than they should`() {
        let device = device([
            "Address": .uint32(1), "Name": .bytes([1]), "RSSI": .string("loud"),
            "UUIDs": .string("180A"), "Connected": .string("yes"),
        ])
        #expect(device.address == nil)
        #expect(device.name == nil)
        #expect(device.rssi == nil)
        #expect(device.serviceUUIDs.isEmpty)
        #expect(!device.isConnected)
    }

    @Test func `tell a strength of 127 as unknown`() {
        #expect(device(["RSSI": .int16(127)]).rssi == nil)
        #expect(device(["RSSI": .int16(127)]).wasReceived)
    }

    @Test func `tell a characteristic`() {
        let found = GattCharacteristic1(
            path: "/a",
            properties: PropertyMap([
                "UUID": .string("00002a05-0000-1000-8000-00805f9b34fb"),
                "Service": .objectPath("/s"), "MTU": .uint16(517),
                "Flags": .strings(["read", "write", "notify", "encrypt-read"]),
            ])
        )
        #expect(found.uuid == BluetoothUUID(assignedNumber: 0x2A05))
        #expect(found.service == "/s")
        #expect(found.mtuBytes == 517)
        #expect(found.flags == [.read, .write, .notify])
    }

    @Test(
        arguments: [
            (.read, ["read"]),
            ([.read, .notify], ["read", "notify"]),
            (
                [.write, .writeWithoutResponse, .indicate],
                ["write-without-response", "write", "indicate"]
            ),
            ([], []),
        ] as [(CharacteristicProperties, [String])]
    )
    func `name what can be done with a characteristic`(
        properties: CharacteristicProperties,
        flags: [String]
    ) {
        #expect(properties.flags == flags)
        #expect(CharacteristicProperties(flags: flags) == properties)
    }

    @Test func `order adapters by their numbers`() {
        let paths: [ObjectPath] = ["/org/bluez/hci10", "/org/bluez/hci2", "/org/bluez/other"]
        let adapters = paths.map { Adapter1(path: $0) }
        #expect(adapters.map(\.number) == [10, 2, .max])
        #expect(adapters.map(\.name) == ["hci10", "hci2", "other"])
    }

    @Test func `never ask for services in a discovery filter`() throws {
        let body = try Adapter1(path: "/org/bluez/hci0").setDiscoveryFilter.body()
        #expect(
            body == [.properties(["Transport": .string("le"), "DuplicateData": .bool(true)])]
        )
    }

    @Test func `ask for a write request`() throws {
        let message = GattCharacteristic1(path: "/a").writeValue([1, 2])
        #expect(try message.body() == [.bytes([1, 2]), .properties(["type": .string("request")])])
    }
}
