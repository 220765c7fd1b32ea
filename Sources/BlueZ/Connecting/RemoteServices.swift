internal import BLE
internal import BLEDBus

/// The services of a remote device, as far as bluetoothd shows them now.
struct RemoteServices {
    /// How many services are known to have been withdrawn.
    static let maximumWithdrawnCount = 256

    /// A service that the device withdrew.
    struct Withdrawal: Equatable {
        let uuid: BluetoothUUID
        /// Its characteristics' objects, which are gone or of no more use.
        let characteristics: [ObjectPath]
    }

    private struct Characteristic {
        let service: ObjectPath
        let uuid: BluetoothUUID
        let properties: CharacteristicProperties
    }

    /// Which object has which identifier, among all that there are.
    private struct Index {
        var paths: [AttributeID: ObjectPath] = [:]
        var ids: [ObjectPath: AttributeID] = [:]
    }

    private var services: [ObjectPath: BluetoothUUID] = [:]
    private var characteristics: [ObjectPath: Characteristic] = [:] {
        didSet { index = nil }
    }
    private var descriptors: [ObjectPath: (characteristic: ObjectPath, uuid: BluetoothUUID)] = [:]
    /// Made when it is asked for.
    private var index: Index?
    /// The objects of services of which a part is gone already.
    private(set) var broken: Set<ObjectPath> = []
    /// The names of services that were withdrawn.
    private var withdrawn: Set<BluetoothUUID> = []

    /// The MTU of the link, the least until it is known.
    var mtuBytes: Int { knownMTU ?? 23 }
    private(set) var knownMTU: Int?

    /// All of them, in the order of their handles.
    var all: [GATTService] {
        services.filter { !broken.contains($0.key) }
            .sorted { $0.key.rawValue < $1.key.rawValue }
            .map { path, uuid in
                GATTService(uuid: uuid, characteristics: characteristics(of: path))
            }
    }

    private func characteristics(of service: ObjectPath) -> [GATTCharacteristic] {
        characteristics.filter { $0.value.service == service }
            .sorted { $0.key.rawValue < $1.key.rawValue }
            .map { path, found in
                let own = descriptors.filter { $0.value.characteristic == path }
                    .sorted { $0.key.rawValue < $1.key.rawValue }
                return GATTCharacteristic(
                    uuid: found.uuid,
                    properties: found.properties,
                    descriptors: own.map { GATTDescriptor(uuid: $0.value.uuid) }
                )
            }
    }

    /// The names of the services that are shown.
    var uuids: Set<BluetoothUUID> { Set(services.values) }

    /// An object to ask for the MTU; `nil` when it is known, or when there is none to ask.
    var pathWithoutMTU: ObjectPath? {
        knownMTU != nil ? nil : characteristics.keys.min { $0.rawValue < $1.rawValue }
    }

    /// A characteristic that cannot notify; `nil` when there is none.
    var pathWithoutNotifications: ObjectPath? {
        characteristics.filter { $0.value.properties.isDisjoint(with: [.notify, .indicate]) }
            .keys.min { $0.rawValue < $1.rawValue }
    }

    /// What can be read to learn whether characteristics are there still: a client configuration of each service.
    ///
    /// A server lets every client read it.
    ///
    /// - Parameter paths: the characteristics that matter.
    /// - Returns: descriptors, by the services that they are of.
    func configurations(of paths: Set<ObjectPath>) -> [ObjectPath: ObjectPath] {
        var found: [ObjectPath: ObjectPath] = [:]
        for (path, descriptor) in descriptors.sorted(by: { $0.key.rawValue < $1.key.rawValue })
        where descriptor.uuid == BluetoothUUID(assignedNumber: 0x2902) {
            guard paths.contains(descriptor.characteristic),
                let service = characteristics[descriptor.characteristic]?.service
            else { continue }
            found[service] = found[service] ?? path
        }
        return found
    }

    // MARK: - Lookup

    /// The object of a characteristic.
    mutating func path(of attribute: AttributeID) -> ObjectPath? {
        makeIndex().paths[attribute]
    }

    /// The object of a descriptor.
    mutating func path(of descriptor: DescriptorID) -> ObjectPath? {
        guard let characteristic = path(of: descriptor.characteristic) else { return nil }
        return descriptors.filter { _, found in
            found.characteristic == characteristic && found.uuid == descriptor.descriptor
        }
        .keys.min { $0.rawValue < $1.rawValue }
    }

    /// The identifier of a characteristic's object.
    mutating func id(at path: ObjectPath) -> AttributeID? {
        makeIndex().ids[path]
    }

    /// How a characteristic can be used; nothing for one that is not there.
    func properties(at path: ObjectPath) -> CharacteristicProperties {
        characteristics[path]?.properties ?? []
    }

    private mutating func makeIndex() -> Index {
        if let index { return index }
        var index = Index()
        var counts: [AttributeID: Int] = [:]
        let ordered = characteristics.sorted {
            ($0.value.service.rawValue, $0.key.rawValue)
                < ($1.value.service.rawValue, $1.key.rawValue)
        }
        for (path, found) in ordered {
            guard let service = services[found.service] else { continue }
            let first = AttributeID(service: service, characteristic: found.uuid)
            let instance = counts[first, default: 0]
            counts[first] = instance + 1
            let id = AttributeID(
                service: service,
                characteristic: found.uuid,
                instance: instance
            )
            index.paths[id] = path
            index.ids[path] = id
        }
        self.index = index
        return index
    }

    /// What can be read to learn whether a characteristic's service is there still: that
    /// characteristic, else the first one of its service; `nil` when none can be read.
    ///
    /// A read of what cannot be read is no question to ask: a peer may leave it unanswered.
    func probe(for path: ObjectPath) -> ObjectPath? {
        guard let service = characteristics[path]?.service else { return nil }
        let readable = characteristics.filter { _, found in
            found.service == service && found.properties.contains(.read)
        }
        return readable.keys.contains(path)
            ? path : readable.keys.min { $0.rawValue < $1.rawValue }
    }

    /// Whether the device once had the service, and took it back.
    func wasWithdrawn(_ service: BluetoothUUID) -> Bool { withdrawn.contains(service) }

    /// Whether a service was withdrawn that has not come back.
    var isIncomplete: Bool { !withdrawn.isEmpty }

    // MARK: - Changes

    /// An object is new.
    mutating func add(_ path: ObjectPath, _ interface: String, _ properties: PropertyMap) {
        switch interface {
        case GattService1.interface:
            let service = GattService1(path: path, properties: properties)
            guard let uuid = service.uuid else { return }
            services[path] = uuid
            index = nil
            broken.remove(path)
            withdrawn.remove(uuid)
        case GattCharacteristic1.interface:
            let found = GattCharacteristic1(path: path, properties: properties)
            guard let service = found.service, let uuid = found.uuid else { return }
            characteristics[path] = Characteristic(
                service: service,
                uuid: uuid,
                properties: found.flags
            )
            broken.remove(service)
            if let mtuBytes = found.mtuBytes { learn(mtuBytes: mtuBytes) }
        case GattDescriptor1.interface:
            let found = GattDescriptor1(path: path, properties: properties)
            guard let characteristic = found.characteristic, let uuid = found.uuid else { return }
            descriptors[path] = (characteristic, uuid)
        default:
            break
        }
    }

    /// What is known is from before the link that is being made, and so is the MTU.
    mutating func forgetMTU() {
        knownMTU = nil
    }

    /// A characteristic's properties changed.
    mutating func change(_ characteristic: GattCharacteristic1) {
        guard let mtuBytes = characteristic.mtuBytes else { return }
        learn(mtuBytes: mtuBytes)
    }

    /// The MTU of the link is known; all its characteristics have the same.
    mutating func learn(mtuBytes: Int) {
        knownMTU = mtuBytes
    }

    /// An object is gone; objects deeper in the tree go first.
    ///
    /// - Returns: the service that it takes along; `nil` when that has been reported, or for an object
    ///   that was not known.
    mutating func remove(_ path: ObjectPath, _ interface: String) -> Withdrawal? {
        switch interface {
        case GattService1.interface:
            guard let uuid = services[path] else { return nil }
            defer {
                services[path] = nil
                index = nil
            }
            return broken.remove(path) == nil ? withdraw(path, uuid) : nil
        case GattCharacteristic1.interface:
            guard let service = characteristics[path]?.service, let uuid = services[service] else {
                return nil
            }
            broken.insert(service)
            return withdraw(service, uuid)
        case GattDescriptor1.interface:
            descriptors[path] = nil
            return nil
        default:
            return nil
        }
    }

    /// A service is gone, though bluetoothd shows it.
    ///
    /// - Returns: the service; `nil` when its end has been reported.
    mutating func withdraw(_ service: ObjectPath) -> Withdrawal? {
        guard let uuid = services[service], broken.insert(service).inserted else { return nil }
        return withdraw(service, uuid)
    }

    private mutating func withdraw(_ service: ObjectPath, _ uuid: BluetoothUUID) -> Withdrawal {
        let gone = characteristics.filter { $0.value.service == service }.keys
        for path in gone {
            characteristics[path] = nil
            descriptors = descriptors.filter { $0.value.characteristic != path }
        }
        // A peer can make up new ones for ever; a request to a forgotten one fails as missing.
        if withdrawn.count >= Self.maximumWithdrawnCount { withdrawn.removeFirst() }
        // One that has moved is there already.
        if !has(uuid, besides: service) { withdrawn.insert(uuid) }
        return Withdrawal(
            uuid: uuid,
            characteristics: gone.sorted { $0.rawValue < $1.rawValue }
        )
    }

    private func has(_ uuid: BluetoothUUID, besides service: ObjectPath) -> Bool {
        services.contains { $0.key != service && $0.value == uuid && !broken.contains($0.key) }
    }
}
