import BLE
import BLEDBus
import Testing

@testable import BlueZ

@Suite("Sightings")
struct SightingsTests {
    private static let path: ObjectPath = "/org/bluez/hci0/dev_00_AA_01_01_00_01"

    private func device(_ properties: [String: Value]) -> Device1 {
        Device1(path: Self.path, properties: PropertyMap(properties))
    }

    @Test func `are made of devices that are heard`() {
        var sightings = Sightings()
        let new = device([
            "Address": .string("00:AA:01:01:00:01"), "Name": .string("8-Ball"),
            "RSSI": .int16(-50), "UUIDs": .strings(["180A"]),
        ])
        #expect(sightings.add(new) == true)
        let sighting = sightings.sighting(of: new)
        #expect(sighting.peer.rawValue == "00:AA:01:01:00:01")
        #expect(sighting.name == "8-Ball")
        #expect(sighting.rssi == RSSI(-50))
        #expect(sighting.serviceUUIDs == [BluetoothUUID(assignedNumber: 0x180A)])
        let heard = device(["RSSI": .int16(-50)])
        #expect(sightings.change(heard, of: heard) == true)
        #expect(sightings.sighting(of: heard).name == "8-Ball")
    }

    @Test(
        arguments: [
            ("ManufacturerData", .dictionary(key: "q", value: "v", [])),
            ("ServiceData", .properties(["180A": .bytes([1])])),
            ("AdvertisingFlags", .bytes([6])),
            ("AdvertisingData", .dictionary(key: "y", value: "v", [])),
        ] as [(String, Value)]
    )
    func `are made of advertisements that have bytes alone`(name: String, value: Value) {
        var sightings = Sightings()
        #expect(sightings.add(device([name: value])) == true)
        let changes = device([name: value])
        let known = device([name: value, "RSSI": .int16(-50)])
        #expect(sightings.change(changes, of: known) == true)
        #expect(sightings.sighting(of: known).rssi == RSSI(-50))
    }

    @Test func `are not made of bare objects and other changes`() {
        var sightings = Sightings()
        #expect(sightings.add(device(["Name": .string("8-Ball")])) == false)
        #expect(sightings.change(device(["Paired": .bool(true)]), of: device([:])) == false)
    }

    @Test func `keep the advertised name when the device tells another on its link`() {
        var sightings = Sightings()
        sightings.load([device(["Name": .string("8-Ball")])])
        _ = sightings.change(
            device(["Name": .string("BlueZ 5.66")]),
            of: device(["Name": .string("BlueZ 5.66"), "ServicesResolved": .bool(true)])
        )
        let heard = device(["Name": .string("BlueZ 5.66"), "RSSI": .int16(-50)])
        _ = sightings.change(device(["RSSI": .int16(-50)]), of: heard)
        #expect(sightings.sighting(of: heard).name == "8-Ball")
    }

    @Test func `take a new name from the air`() {
        var sightings = Sightings()
        sightings.load([device(["Name": .string("8-Ball")])])
        for name in ["Nine", "Ten"] {
            let changes = device(["Name": .string(name), "RSSI": .int16(-50)])
            _ = sightings.change(changes, of: changes)
            #expect(sightings.sighting(of: changes).name == name)
        }
        // Also apart from the strength, while there is no link.
        let changes = device(["Name": .string("Eleven")])
        #expect(sightings.change(changes, of: changes) == false)
        #expect(sightings.sighting(of: changes).name == "Eleven")
    }

    @Test func `have no name of a device that was forgotten`() {
        var sightings = Sightings()
        sightings.load([device(["Name": .string("8-Ball")])])
        sightings.remove(Self.path)
        #expect(sightings.sighting(of: device(["RSSI": .int16(-50)])).name == "")
    }
}
