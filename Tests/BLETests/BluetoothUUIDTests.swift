import BLE
import Testing

@Suite
struct BluetoothUUIDTests {
    @Test(
        "A short form equals its long form",
        arguments: [
            ("180F", "0000180F-0000-1000-8000-00805F9B34FB"),
            ("180f", "0000180f-0000-1000-8000-00805f9b34fb"),
            ("0000180F", "0000180F00001000800000805F9B34FB"),
            ("12345678", "12345678-0000-1000-8000-00805F9B34FB"),
            ("0000", "00000000-0000-1000-8000-00805F9B34FB"),
        ]
    )
    func shortForm(short: String, long: String) throws {
        let uuid = try #require(BluetoothUUID(short))
        #expect(uuid == BluetoothUUID(long))
        #expect(uuid.hashValue == BluetoothUUID(long)?.hashValue)
    }

    @Test(
        "Other texts are no UUIDs",
        arguments: [
            "", "1", "180", "180G", "180F ", " 180F", "+180", "180F0", "0x180F", "１８０F",
            "0000180F-0000-1000-8000-00805F9B34F", "0000180F-0000-1000-8000-00805F9B34FBB",
            "0000180F-0000-1000-8000_00805F9B34FB", "0000180F0-000-1000-8000-00805F9B34FB",
            "0000180F-0000-1000-8000-00805F9B34F-", "{0000180F-0000-1000-8000-00805F9B34}",
            "é0é0",
        ]
    )
    func badText(text: String) {
        #expect(BluetoothUUID(text) == nil)
    }

    @Test("The description is the long form in upper case, and reads back")
    func description() throws {
        let text = "8e38140a-27be-4090-8955-4fc4b5698d1e"
        let uuid = try #require(BluetoothUUID(text))
        #expect(uuid.description == text.uppercased())
        #expect(BluetoothUUID(uuid.description) == uuid)
        #expect(BluetoothUUID(assignedNumber: 0x2A).description.hasPrefix("0000002A-0000-1000-"))
    }

    @Test(
        "An advertisement spends 2, 4 or 16 bytes",
        arguments: [
            ("180F", 2), ("FFFF", 2), ("00010000", 4), ("FFFFFFFF", 4),
            ("8E38140A-27BE-4090-8955-4FC4B5698D1E", 16),
            ("0000180F-0000-1000-8000-00805F9B34FC", 16),
            ("0000180F-0001-1000-8000-00805F9B34FB", 16),
            ("0000180F-0000-1001-8000-00805F9B34FB", 16),
        ] as [(BluetoothUUID, Int)]
    )
    func advertisedByteCount(uuid: BluetoothUUID, count: Int) {
        #expect(uuid.advertisedByteCount == count)
    }
}
