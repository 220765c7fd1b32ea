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

    @Test(
        "The description is as short as it can be, in upper case, and reads back",
        arguments: [
            ("180f", "180F", "0000180F-0000-1000-8000-00805F9B34FB"),
            ("002a", "002A", "0000002A-0000-1000-8000-00805F9B34FB"),
            ("12345678", "12345678", "12345678-0000-1000-8000-00805F9B34FB"),
            (
                "8e38140a-27be-4090-8955-4fc4b5698d1e", "8E38140A-27BE-4090-8955-4FC4B5698D1E",
                "8E38140A-27BE-4090-8955-4FC4B5698D1E"
            ),
        ]
    )
    func description(text: String, short: String, long: String) throws {
        let uuid = try #require(BluetoothUUID(text))
        #expect(uuid.description == short)
        #expect(uuid.longText == long)
        #expect(BluetoothUUID(uuid.description) == uuid)
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
