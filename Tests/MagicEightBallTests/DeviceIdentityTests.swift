import BLE
import BLETesting
import Testing

@testable import MagicEightBall

@Suite
struct DeviceIdentityTests {
    @Test("Values speak of the same ball when they have its ID, whatever its name was")
    func balls() {
        let central = EightBallCentral(radio: ScriptedCentralRadio(), clock: ManualClock())
        let balls = [("A", "Ball"), ("A", "Oracle"), ("B", "Ball")].map { id, name in
            DiscoveredBall(
                Sighting(peer: PeerID(rawValue: id), name: name, rssi: nil, serviceUUIDs: []),
                central: central
            )
        }
        #expect(balls[0] == balls[1])
        #expect(balls[0] != balls[2])
        #expect(Set(balls).count == 2)
    }

    @Test("Values speak of the same asker when they have its ID")
    func askers() {
        let ball = EightBallPeripheral(
            radio: ScriptedPeripheralRadio(),
            name: "Ball",
            answers: .manual,
            clock: ManualClock()
        )
        let askers = ["A", "A", "B"].map { ConnectedAsker(id: PeerID(rawValue: $0), ball: ball) }
        #expect(askers[0] == askers[1])
        #expect(askers[0] != askers[2])
        #expect(Set(askers).count == 2)
    }
}
