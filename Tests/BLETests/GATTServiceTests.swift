import BLE
import Testing

@Suite
struct GATTServiceTests {
    private let battery = GATTService(
        uuid: "180F",
        characteristics: [GATTCharacteristic(uuid: "2A19", properties: [.read, .notify])]
    )

    @Test("A characteristic is found by its UUID, whatever its form")
    func lookUp() {
        let level = battery.characteristic("00002A19-0000-1000-8000-00805F9B34FB")
        #expect(level?.properties.rawValue == 0x12)
        #expect(battery.characteristic("2A1A") == nil)
    }

    @Test("An attribute is described by both its UUIDs")
    func attribute() {
        let level = AttributeID(service: "180F", characteristic: "2A19")
        #expect(
            level.description == "characteristic 2A19 of service 180F"
        )
    }
}
