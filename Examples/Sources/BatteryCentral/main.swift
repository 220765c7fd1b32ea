import BLE
import BlueZ

// Connects to the first Battery service that is discovered, and prints its level, and two changes.
let level = AttributeID(service: "180F", characteristic: "2A19")
let radio = try await Adapter.open("hci0")
for try await case .seen(let sighting) in try await radio.scan(ScanFilter(service: level.service)) {
    let link = try await radio.connect(to: sighting.peer)
    _ = try await link.discoverServices()
    print("\(sighting.name):", try await link.read(level).first ?? 0, "%")
    var count = 0
    for try await value in try await link.notifications(of: level) {
        print("now", value.first ?? 0, "%")
        count += 1
        if count == 2 { break }
    }
    await link.disconnect()
    break
}
