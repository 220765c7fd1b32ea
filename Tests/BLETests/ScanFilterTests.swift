import BLE
import Testing

@Suite
struct ScanFilterTests {
    private static let service: BluetoothUUID = "8E38140A-27BE-4090-8955-4FC4B5698D1E"

    private static let ball = Sighting(
        peer: PeerID(rawValue: "00:AA:01:00:00:42"),
        name: "Ball",
        rssi: RSSI(-50),
        serviceUUIDs: ["180F", service]
    )

    private static let unmeasured = Sighting(
        peer: PeerID(rawValue: "00:AA:01:00:00:43"),
        name: "",
        rssi: nil,
        serviceUUIDs: []
    )

    @Test(
        "A sighting passes when each criterion holds",
        arguments: [
            (ScanFilter(), true),
            (ScanFilter(service: service), true),
            (ScanFilter(service: "180A"), false),
            (ScanFilter(name: "Ball"), true),
            (ScanFilter(name: "ball"), false),
            (ScanFilter(name: ""), false),
            (ScanFilter(rssi: RSSI(-50)...RSSI(-50)), true),
            (ScanFilter(rssi: RSSI(-49)...RSSI(-20)), false),
            (ScanFilter(rssi: RSSI(-60)...RSSI(-51)), false),
            (ScanFilter(service: service, name: "Ball", rssi: RSSI(-60)...RSSI(-20)), true),
            (ScanFilter(service: service, name: "Other", rssi: RSSI(-60)...RSSI(-20)), false),
        ]
    )
    func criteria(filter: ScanFilter, passes: Bool) {
        #expect(filter.admits(Self.ball) == passes)
    }

    @Test("An unknown strength passes no range, and passes without one")
    func unmeasured() {
        #expect(ScanFilter().admits(Self.unmeasured))
        #expect(!ScanFilter(rssi: RSSI(-127)...RSSI(127)).admits(Self.unmeasured))
    }
}
