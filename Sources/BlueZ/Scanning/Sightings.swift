internal import BLE
internal import BLEDBus

/// Makes sightings of the properties of bluetoothd's devices.
///
/// Once a device has been connected to, bluetoothd shows the name that the device gives itself
/// instead of the one that it advertises, until the next advertisement. So names are kept here, and
/// one that arrives without an advertisement while there is a link is not taken.
struct Sightings {
    private var names: [ObjectPath: String] = [:]
    /// When each device was last received, by the number of that.
    private var turns: [ObjectPath: Int] = [:]
    private var lastTurn = 0

    /// Takes over what bluetoothd knew of its devices before anybody listened.
    mutating func load(_ devices: [Device1]) {
        names = [:]
        turns = [:]
        for device in devices {
            names[device.path] = device.name
            turn(device.path)
        }
    }

    /// A device is new, or has got new properties all at once.
    ///
    /// - Returns: whether an advertisement was received.
    mutating func add(_ device: Device1) -> Bool {
        turn(device.path)
        let wasReceived = device.wasReceived
        names[device.path] = wasReceived ? device.name : names[device.path] ?? device.name
        return wasReceived
    }

    /// Some of a device's properties changed.
    ///
    /// - Parameters:
    ///   - changes: what changed.
    ///   - device: what is known by now.
    /// - Returns: whether an advertisement was received; else the change does not come from the air.
    mutating func change(_ changes: Device1, of device: Device1) -> Bool {
        let hasLink = device.isConnected || device.areServicesResolved
        let wasReceived = changes.wasReceived
        if let name = changes.name, wasReceived || !hasLink { names[device.path] = name }
        if wasReceived { turn(device.path) }
        return wasReceived
    }

    /// A device was forgotten.
    mutating func remove(_ path: ObjectPath) {
        names[path] = nil
        turns[path] = nil
    }

    private mutating func turn(_ path: ObjectPath) {
        lastTurn += 1
        turns[path] = lastTurn
    }

    /// The devices that are too many, those first that were not received for longest.
    ///
    /// - Parameters:
    ///   - limit: how many there may be; when there are more, a quarter goes.
    ///   - rank: how much a device is wanted; those of a lower rank go first, those of none stay.
    /// - Returns: which to forget.
    func surplus(over limit: Int, _ rank: (ObjectPath) -> Int?) -> [ObjectPath] {
        guard turns.count > limit else { return [] }
        var candidates: [(path: ObjectPath, rank: Int, turn: Int)] = []
        for (path, turn) in turns {
            if let rank = rank(path) { candidates.append((path, rank, turn)) }
        }
        candidates.sort { ($0.rank, $0.turn) < ($1.rank, $1.turn) }
        return candidates.prefix(turns.count - limit * 3 / 4).map(\.path)
    }

    /// A device as it was just received.
    func sighting(of device: Device1) -> Sighting {
        Sighting(
            peer: device.peer,
            address: device.address,
            name: names[device.path] ?? "",
            rssi: device.rssi,
            serviceUUIDs: device.serviceUUIDs,
            manufacturerData: device.manufacturerData,
            serviceData: device.serviceData,
            txPower: device.txPower,
            appearance: device.appearance,
            time: .now
        )
    }
}
