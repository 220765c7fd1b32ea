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

    @Test("Characteristics that share both UUIDs are told apart by their place")
    func instances() {
        let twice = GATTService(
            uuid: "180F",
            characteristics: [
                GATTCharacteristic(uuid: "2A1A", properties: .read),
                GATTCharacteristic(uuid: "2A19", properties: .write),
            ]
        )
        let services = [battery, twice, battery]
        let found = services.attributes.map { services[$0.id] }
        #expect(found == services.attributes.map(\.characteristic))
        let level = AttributeID(service: "180F", characteristic: "2A19", instance: 1)
        #expect(services[level]?.properties == .write)
        #expect(
            services[AttributeID(service: "180F", characteristic: "2A19", instance: 3)] == nil
        )
        #expect(services[AttributeID(service: "180A", characteristic: "2A19")] == nil)
    }

    @Test("An attribute is described by both its UUIDs")
    func attribute() {
        let level = AttributeID(service: "180F", characteristic: "2A19")
        #expect(
            level.description == "characteristic 2A19 of service 180F"
        )
    }
}
