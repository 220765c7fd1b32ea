import BLE

@testable import BLEDBus
@testable import BlueZ

/// An `a{sv}` of a daemon, read as each object that the adapter knows.
@Sendable func decodeProperties(_ input: UnsafeRawBufferPointer) {
    guard let first = input.first else { return }
    let types: StaticString = "a{sv}"
    var reader = MessageReader(
        WireBytes(copying: Array(input.dropFirst())),
        types: UnsafeBufferPointer(start: types.utf8Start, count: types.utf8CodeUnitCount),
        isSwapped: first & 1 == 1
    )
    guard let properties = try? PropertyMap(&reader) else { return }
    readDevice(properties)
    readServices(properties)
    let adapter = Adapter1(path: "/org/bluez/hci0", properties: properties)
    _ = (adapter.name, adapter.number, adapter.isPowered)
    var merged = properties
    merged.apply(properties, invalidated: Array(properties.values.keys.prefix(1)))
    _ = merged.values
}

private func readDevice(_ properties: PropertyMap) {
    let device = Device1(path: "/org/bluez/hci0/dev_00", properties: properties)
    var sightings = Sightings()
    sightings.load([device])
    _ = sightings.add(device)
    _ = sightings.change(device, of: device)
    let sighting = sightings.sighting(of: device)
    _ = "\(sighting)"
    if let rssi = sighting.rssi { _ = (RSSI(-60)...RSSI(-20)).contains(rssi) }
}

private func readServices(_ properties: PropertyMap) {
    var services = RemoteServices()
    services.add("/s", GattService1.interface, properties)
    services.add("/s/c", GattCharacteristic1.interface, properties)
    _ = (services.all, services.mtuBytes, services.id(at: "/s/c"))
}
