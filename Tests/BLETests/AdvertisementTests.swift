import BLE
import Testing

@Suite
struct AdvertisementTests {
    private static let long: BluetoothUUID = "8E38140A-27BE-4090-8955-4FC4B5698D1E"

    @Test(
        "The packet holds flags, and the services of each length together",
        arguments: [
            ([], 3), ([long], 21), (["180F"], 7), (["180F", "180A"], 9),
            (["180F", "12345678"], 13), (["180F", long], 25), ([long, long], 37),
        ] as [([BluetoothUUID], Int)]
    )
    func packet(uuids: [BluetoothUUID], count: Int) {
        let advertisement = Advertisement(localName: "", serviceUUIDs: uuids)
        #expect(advertisement.packetByteCount == count)
    }

    @Test(
        "The scan response holds the name",
        arguments: [("", 0), ("a", 3), ("Kugel Ü", 10), ("🎱", 6)]
    )
    func scanResponse(name: String, count: Int) {
        let advertisement = Advertisement(localName: name, serviceUUIDs: [])
        #expect(advertisement.scanResponseByteCount == count)
    }

    @Test("29 bytes of name and one long UUID fit")
    func fits() throws {
        let name = String(repeating: "n", count: 29)
        try Advertisement(localName: name, serviceUUIDs: [Self.long]).validate()
    }

    @Test(
        "What does not fit is named",
        arguments: [
            (String(repeating: "n", count: 30), [long], "has 30 bytes"),
            (String(repeating: "ü", count: 15), [long], "has 30 bytes"),
            ("n", [long, long], "37 bytes; an advertisement holds 31"),
            ("n", [long, "12345678", "180F", "180A"], "33 bytes; an advertisement holds 31"),
        ] as [(String, [BluetoothUUID], String)]
    )
    func tooLong(name: String, uuids: [BluetoothUUID], part: String) {
        let error = #expect(throws: RadioError.self) {
            try Advertisement(localName: name, serviceUUIDs: uuids).validate()
        }
        #expect(error?.code == .invalidAdvertisement)
        #expect(error?.description.contains(part) == true)
    }
}
