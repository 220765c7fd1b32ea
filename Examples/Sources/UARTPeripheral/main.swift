import BLE
import BlueZ

// A service as Nordic's UART: what is written to RX is notified from TX, in parts that fit, until Ctrl-C.
let service: BluetoothUUID = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
let rx: BluetoothUUID = "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"
let tx = AttributeID(service: service, characteristic: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E")

actor Echo: GATTResponder {
    private var publication: (any Publication)?

    func didPublish(_ publication: any Publication) { self.publication = publication }

    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) {
        let size = request.mtuBytes - 3
        do {
            for start in stride(from: 0, to: value.count, by: size) {
                try await publication?.update(tx, to: Array(value[start...].prefix(size)))
            }
        } catch { throw .unlikelyError }
    }
}

_ = try await Adapter.open("hci1").publish(
    GATTService(
        uuid: service,
        characteristics: [
            GATTCharacteristic(uuid: rx, properties: [.write, .writeWithoutResponse]),
            GATTCharacteristic(uuid: tx.characteristic, properties: .notify),
        ]
    ),
    advertising: Advertisement(localName: "UART", serviceUUIDs: [service]),
    options: .lostRefusals,
    responder: Echo()
)
while true { try await Task.sleep(for: .seconds(24 * 60 * 60)) }
