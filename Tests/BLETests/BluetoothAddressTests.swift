import BLE
import Testing

@Suite
struct BluetoothAddressTests {
    @Test(
        "The description is the text in upper case",
        arguments: ["00:AA:01:00:00:42", "ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00"]
    )
    func description(text: String) throws {
        let address = try #require(BluetoothAddress(text))
        #expect(address.description == text.uppercased())
        #expect(address.kind == .public)
    }

    @Test("The byte that is written first is the highest")
    func rawValue() {
        #expect(BluetoothAddress("01:02:03:04:05:06")?.rawValue == 0x0102_0304_0506)
    }

    @Test("A public address and a random one of the same bytes differ")
    func kind() {
        let text = "00:AA:01:00:00:42"
        #expect(BluetoothAddress(text) != BluetoothAddress(text, kind: .random))
    }

    @Test(
        "Other texts are no addresses",
        arguments: [
            "", "00:AA:01:00:00", "00:AA:01:00:00:42:00", "00:AA:01:00:00:4", "00-AA-01-00-00-42",
            "00:AA:01:00:00:4G", "00:AA:01:00:00:+4", "00:AA:01:00:00:042", "00AA01000042",
            ":00:AA:01:00:00:42", "００:AA:01:00:00:42", "4２:AA:01:00:00:42",
        ]
    )
    func badText(text: String) {
        #expect(BluetoothAddress(text) == nil)
    }
}
