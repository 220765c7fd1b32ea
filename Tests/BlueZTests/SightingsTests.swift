import BLE
import DBus
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
        let sighting = sightings.add(
            device([
                "Address": .string("00:AA:01:01:00:01"), "Name": .string("8-Ball"),
                "RSSI": .int16(-50), "UUIDs": .strings(["180A"]),
            ])
        )
        #expect(sighting?.peer.rawValue == "00:AA:01:01:00:01")
        #expect(sighting?.name == "8-Ball")
        #expect(sighting?.rssi == RSSI(-50))
        #expect(sighting?.serviceUUIDs == [BluetoothUUID(assignedNumber: 0x180A)])
        let again = sightings.change(
            device(["RSSI": .int16(-50)]),
            of: device(["RSSI": .int16(-50)])
        )
        #expect(again?.name == "8-Ball")
    }

    @Test func `are not made of bare objects and other changes`() {
        var sightings = Sightings()
        #expect(sightings.add(device(["Name": .string("8-Ball")])) == nil)
        #expect(sightings.change(device(["Paired": .bool(true)]), of: device([:])) == nil)
    }

    @Test func `keep the advertised name when the device tells another on its link`() {
        var sightings = Sightings()
        sightings.load([device(["Name": .string("8-Ball")])])
        _ = sightings.change(
            device(["Name": .string("BlueZ 5.66")]),
            of: device(["Name": .string("BlueZ 5.66"), "ServicesResolved": .bool(true)])
        )
        let heard = sightings.change(
            device(["RSSI": .int16(-50)]),
            of: device(["Name": .string("BlueZ 5.66"), "RSSI": .int16(-50)])
        )
        #expect(heard?.name == "8-Ball")
    }

    @Test func `take a new name from the air`() {
        var sightings = Sightings()
        sightings.load([device(["Name": .string("8-Ball")])])
        let changes = device(["Name": .string("Nine"), "RSSI": .int16(-50)])
        #expect(sightings.change(changes, of: changes)?.name == "Nine")
        let later = device(["Name": .string("Ten")])
        #expect(sightings.change(later, of: later) == nil)
        let heard = device(["RSSI": .int16(-50)])
        #expect(sightings.change(heard, of: heard)?.name == "Ten")
    }

    @Test func `have no name of a device that was forgotten`() {
        var sightings = Sightings()
        sightings.load([device(["Name": .string("8-Ball")])])
        sightings.remove(Self.path)
        let heard = device(["RSSI": .int16(-50)])
        #expect(sightings.change(heard, of: heard)?.name == "")
    }
}
