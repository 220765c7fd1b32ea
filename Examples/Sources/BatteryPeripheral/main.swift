import BLE
import BlueZ

// A Battery service whose level falls by one each second, until Ctrl-C.
let level = AttributeID(service: "180F", characteristic: "2A19")

actor Battery: GATTResponder {
    private var percent: UInt8 = 100

    func read(
        _ characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) -> [UInt8] { [percent] }

    func use() -> [UInt8] {
        percent = percent > 0 ? percent - 1 : 100
        return [percent]
    }
}

let battery = Battery()
let publication = try await Adapter.open("hci1").publish(
    GATTService(
        uuid: level.service,
        characteristics: [
            GATTCharacteristic(uuid: level.characteristic, properties: [.read, .notify])
        ]
    ),
    advertising: Advertisement(localName: "Battery", serviceUUIDs: [level.service]),
    responder: battery
)
while true {
    try await Task.sleep(for: .seconds(1))
    try await publication.update(level, to: await battery.use())
}
