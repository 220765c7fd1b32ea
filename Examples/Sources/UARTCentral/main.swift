import BLE
import BlueZ

// Sends each argument to the first UART that is discovered, and prints what comes back.
let service: BluetoothUUID = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
let rx = AttributeID(service: service, characteristic: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E")
let tx = AttributeID(service: service, characteristic: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E")
let radio = try await Adapter.open("hci0")
for try await case .seen(let sighting) in try await radio.scan(ScanFilter(service: service)) {
    let link = try await radio.connect(to: sighting.peer)
    _ = try await link.discoverServices()
    var echoes = try await link.notifications(of: tx).makeAsyncIterator()
    for word in CommandLine.arguments.dropFirst() {
        try await link.writeWithoutResponse(Array(word.utf8), to: rx)
        guard let echo = try await echoes.next() else { break }
        print(String(decoding: echo, as: UTF8.self))
    }
    await link.disconnect()
    break
}
