internal import BLE
internal import DBus

/// The services of a remote device, as far as bluetoothd shows them now.
struct RemoteServices {
    /// How many services are known to have been taken back.
    static let maximumWithdrawnCount = 256

    /// A service that the device took back.
    struct Withdrawal: Equatable {
        let uuid: BluetoothUUID
        /// Its characteristics' objects, which are gone or of no more use.
        let characteristics: [ObjectPath]
    }

    private struct Characteristic {
        let service: ObjectPath
        let description: GATTCharacteristic
        var mtuBytes: Int?
    }

    private var services: [ObjectPath: BluetoothUUID] = [:]
    private var characteristics: [ObjectPath: Characteristic] = [:]
    /// Services of which a part is gone already.
    private var broken: Set<ObjectPath> = []
    /// The names of services that were taken back.
    private var withdrawn: Set<BluetoothUUID> = []

    /// All of them, in the order of their handles.
    var all: [GATTService] {
        services.filter { !broken.contains($0.key) }
            .sorted { $0.key.rawValue < $1.key.rawValue }
            .map { path, uuid in
                let own = characteristics.filter { $0.value.service == path }
                    .sorted { $0.key.rawValue < $1.key.rawValue }
                return GATTService(uuid: uuid, characteristics: own.map(\.value.description))
            }
    }

    /// The names of the services that are shown.
    var uuids: Set<BluetoothUUID> { Set(services.values) }

    var mtuBytes: Int { characteristics.values.compactMap(\.mtuBytes).max() ?? 23 }

    /// An object to ask for the MTU; `nil` when it is known, or when there is none to ask.
    var pathWithoutMTU: ObjectPath? {
        guard characteristics.values.allSatisfy({ $0.mtuBytes == nil }) else { return nil }
        return characteristics.keys.min { $0.rawValue < $1.rawValue }
    }

    /// The object of a characteristic; of several, the one with the lowest handle.
    func path(of attribute: AttributeID) -> ObjectPath? {
        characteristics.filter { _, found in
            found.description.uuid == attribute.characteristic
                && services[found.service] == attribute.service
        }
        .keys.min { $0.rawValue < $1.rawValue }
    }

    /// What can be read to learn whether a characteristic's service is there still: that
    /// characteristic, else the first one of its service; `nil` when none can be read.
    ///
    /// A read of what cannot be read is no question to ask: a peer may leave it unanswered.
    func probe(for path: ObjectPath) -> ObjectPath? {
        guard let service = characteristics[path]?.service else { return nil }
        let readable = characteristics.filter { _, found in
            found.service == service && found.description.properties.contains(.read)
        }
        return readable.keys.contains(path)
            ? path : readable.keys.min { $0.rawValue < $1.rawValue }
    }

    /// The name of a characteristic's object.
    func id(at path: ObjectPath) -> AttributeID? {
        characteristics[path].flatMap { found in
            services[found.service].map {
                AttributeID(service: $0, characteristic: found.description.uuid)
            }
        }
    }

    /// Whether the device once had the service, and took it back.
    func wasWithdrawn(_ service: BluetoothUUID) -> Bool { withdrawn.contains(service) }

    /// Whether a service was taken back that has not come back.
    var isIncomplete: Bool { !withdrawn.isEmpty }

    // MARK: - Changes

    /// An object is new.
    mutating func add(_ path: ObjectPath, _ interface: String, _ properties: PropertyMap) {
        switch interface {
        case GattService1.interface:
            let service = GattService1(path: path, properties: properties)
            guard let uuid = service.uuid else { return }
            services[path] = uuid
            broken.remove(path)
            withdrawn.remove(uuid)
        case GattCharacteristic1.interface:
            let found = GattCharacteristic1(path: path, properties: properties)
            guard let service = found.service, let uuid = found.uuid else { return }
            characteristics[path] = Characteristic(
                service: service,
                description: GATTCharacteristic(uuid: uuid, properties: found.flags),
                mtuBytes: found.mtuBytes
            )
            broken.remove(service)
        default:
            break
        }
    }

    /// What is known is from before the link that is being made, and so is the MTU.
    mutating func forgetMTU() {
        for path in characteristics.keys { characteristics[path]?.mtuBytes = nil }
    }

    /// A characteristic's properties changed.
    mutating func change(_ characteristic: GattCharacteristic1) {
        guard let mtuBytes = characteristic.mtuBytes else { return }
        learn(mtuBytes: mtuBytes, at: characteristic.path)
    }

    /// The MTU of the link is known.
    mutating func learn(mtuBytes: Int, at characteristic: ObjectPath) {
        characteristics[characteristic]?.mtuBytes = mtuBytes
    }

    /// An object is gone; objects deeper in the tree go first.
    ///
    /// - Returns: the service that it takes along; `nil` when that has been reported, or for an object
    ///   that was not known.
    mutating func remove(_ path: ObjectPath, _ interface: String) -> Withdrawal? {
        switch interface {
        case GattService1.interface:
            guard let uuid = services[path] else { return nil }
            defer { services[path] = nil }
            return broken.remove(path) == nil ? withdraw(path, uuid) : nil
        case GattCharacteristic1.interface:
            guard let service = characteristics[path]?.service, let uuid = services[service] else {
                return nil
            }
            broken.insert(service)
            return withdraw(service, uuid)
        default:
            return nil
        }
    }

    private mutating func withdraw(_ service: ObjectPath, _ uuid: BluetoothUUID) -> Withdrawal {
        let gone = characteristics.filter { $0.value.service == service }.keys
        for path in gone { characteristics[path] = nil }
        // A peer can make up new ones for ever; a request to a forgotten one fails as missing.
        if withdrawn.count >= Self.maximumWithdrawnCount { withdrawn.removeFirst() }
        withdrawn.insert(uuid)
        return Withdrawal(
            uuid: uuid,
            characteristics: gone.sorted { $0.rawValue < $1.rawValue }
        )
    }
}
