import BLE

// The examples of BLE.docc; that they compile is the test.

func readFirstBattery(over radio: any CentralRadio) async throws {
    for try await case .seen(let sighting) in try await radio.scan(ScanFilter(service: "180F")) {
        let link = try await radio.connect(to: sighting.peer)
        let level = AttributeID(service: "180F", characteristic: "2A19")
        _ = try await link.discoverServices()
        print(sighting.name, try await link.read(level))
        await link.disconnect()
        break
    }
}

func publishBattery(over radio: any PeripheralRadio, torch: any GATTResponder) async throws {
    let publication = try await radio.publish(
        GATTService(
            uuid: "180F",
            characteristics: [GATTCharacteristic(uuid: "2A19", properties: [.read, .notify])]
        ),
        advertising: Advertisement(localName: "Torch", serviceUUIDs: ["180F"]),
        responder: torch
    )
    try await publication.update(
        AttributeID(service: "180F", characteristic: "2A19"),
        to: [87]
    )
    await publication.withdraw()
}
