internal import BLE
internal import DBus

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
        properties["RSSI"]?.integer.flatMap { $0 == 127 ? nil : RSSI($0) }
    }

    /// Whether the device was heard, however loud.
    var isHeard: Bool { properties["RSSI"] != nil }

    /// The services that it advertises, and those that were found on it.
    var serviceUUIDs: [BluetoothUUID] {
        properties["UUIDs"]?.strings?.compactMap(BluetoothUUID.init) ?? []
    }

    var isConnected: Bool { properties["Connected"]?.bool ?? false }

    var areServicesResolved: Bool { properties["ServicesResolved"]?.bool ?? false }

    /// Returns when there is a link, mostly before the services are known; up to 40 s.
    var connect: Message { .bluez(path, Self.interface, "Connect") }

    /// Ends the link, or the attempt; returns about 2 s later.
    var disconnect: Message { .bluez(path, Self.interface, "Disconnect") }
}
