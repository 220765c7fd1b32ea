internal import BLE
internal import BLEDBus

/// A remote device, as one adapter of this machine knows it.
///
/// Source: BlueZ, doc/org.bluez.Device.rst.
struct Device1 {
    static let interface = "org.bluez.Device1"

    let path: ObjectPath
    var properties = PropertyMap()

    /// The address, else the path: what tells devices of one adapter apart.
    var peer: PeerID {
        PeerID(rawValue: properties["Address"]?.string ?? path.rawValue)
    }

    var address: BluetoothAddress? {
        let kind = properties["AddressType"]?.string.flatMap(BluetoothAddress.Kind.init)
        return properties["Address"]?.string.flatMap {
            BluetoothAddress($0, kind: kind ?? .public)
        }
    }

    /// The advertised name, until the device has been connected to; then what it says itself.
    var name: String? { properties["Name"]?.string }

    /// There while a discovery runs; 127 dBm mean that the controller does not know.
    var rssi: RSSI? {
        properties["RSSI"]?.int16.flatMap { $0 == 127 ? nil : RSSI(Int($0)) }
    }

    /// Whether an advertisement was received, at whatever signal strength.
    ///
    /// bluetoothd signals no strength that the controller does not know. Bytes come from the air alone; a name, services and
    /// an appearance may also come over a link.
    var wasReceived: Bool { Self.receivedNames.contains { properties[$0] != nil } }

    private static let receivedNames = [
        "RSSI", "ManufacturerData", "ServiceData", "AdvertisingFlags", "AdvertisingData",
    ]

    /// The services that it advertises, and those that were found on it.
    var serviceUUIDs: [BluetoothUUID] {
        properties["UUIDs"]?.strings?.compactMap(BluetoothUUID.init) ?? []
    }

    /// Whether its services were read over a link, after which bluetoothd takes none that it advertises.
    ///
    /// Every GATT server has these two.
    var areServicesRead: Bool {
        serviceUUIDs.contains(BluetoothUUID(assignedNumber: 0x1800))
            && serviceUUIDs.contains(BluetoothUUID(assignedNumber: 0x1801))
    }

    /// Company identifier → data, `a{qv}`.
    var manufacturerData: [UInt16: [UInt8]] {
        let entries = properties["ManufacturerData"]?.entries ?? []
        return entries.reduce(into: [:]) { data, entry in
            if let company = entry.key.uint16 { data[company] = entry.value.bytes }
        }
    }

    /// Service → data, `a{sv}`.
    var serviceData: [BluetoothUUID: [UInt8]] {
        let entries = properties["ServiceData"]?.entries ?? []
        return entries.reduce(into: [:]) { data, entry in
            if let uuid = entry.key.string.flatMap(BluetoothUUID.init) {
                data[uuid] = entry.value.bytes
            }
        }
    }

    var txPower: Int? { properties["TxPower"]?.int16.map(Int.init) }

    var appearance: UInt16? { properties["Appearance"]?.uint16 }

    var isConnected: Bool { properties["Connected"]?.bool ?? false }

    var areServicesResolved: Bool { properties["ServicesResolved"]?.bool ?? false }

    /// Whether somebody wants bluetoothd to remember it.
    var isKept: Bool {
        ["Paired", "Bonded", "Trusted", "Blocked"].contains { properties[$0]?.bool == true }
    }

    /// What to set first, so that bluetoothd takes LE to a device that has Bluetooth Classic
    /// too; `nil` where it has no such property (before 5.80; later only as an experiment), or has
    /// been set.
    var preferLE: Message? {
        guard let bearer = properties["PreferredBearer"]?.string, bearer != "le" else { return nil }
        return .bluez(
            path,
            "org.freedesktop.DBus.Properties",
            "Set",
            [.string(Self.interface), .string("PreferredBearer"), .variant(.string("le"))]
        )
    }

    /// Returns when there is a link, mostly before the services are known; up to 40 s.
    var connect: Message { .bluez(path, Self.interface, "Connect") }

    /// Ends the link, or the attempt; returns about 2 s later.
    var disconnect: Message { .bluez(path, Self.interface, "Disconnect") }
}
