internal import BLE
internal import DBus

/// Makes sightings of what bluetoothd tells of its devices.
///
/// Once a device has been connected to, bluetoothd shows the name that the device gives itself
/// instead of the one that it advertises, until the next advertisement. So names are kept here, and
/// one that arrives without having been heard while there is a link is not taken.
struct Sightings {
    private var names: [ObjectPath: String] = [:]

    /// Takes over what bluetoothd knew of its devices before anybody listened.
    mutating func load(_ devices: [Device1]) {
        names = [:]
        for device in devices { names[device.path] = device.name }
    }

    /// A device is new, or has got new properties all at once.
    ///
    /// - Returns: whether it was heard.
    mutating func add(_ device: Device1) -> Bool {
        names[device.path] = device.isHeard ? device.name : names[device.path] ?? device.name
        return device.isHeard
    }

    /// Some of a device's properties changed.
    ///
    /// - Parameters:
    ///   - changes: what changed.
    ///   - device: what is known by now.
    /// - Returns: whether it was heard; else the change does not come from the air.
    mutating func change(_ changes: Device1, of device: Device1) -> Bool {
        let hasLink = device.isConnected || device.areServicesResolved
        if let name = changes.name, changes.isHeard || !hasLink { names[device.path] = name }
        return changes.isHeard
    }

    /// A device was forgotten.
    mutating func remove(_ path: ObjectPath) {
        names[path] = nil
    }

    /// A device as it was just heard.
    func sighting(of device: Device1) -> Sighting {
        Sighting(
            peer: device.peer,
            address: device.address,
            name: names[device.path] ?? "",
            rssi: device.rssi,
            serviceUUIDs: device.serviceUUIDs
        )
    }
}
