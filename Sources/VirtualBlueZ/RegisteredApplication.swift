internal import DBus

/// What an application serves, as read back from its objects.
struct RegisteredApplication: Hashable {
    /// Whose it is, and below which path.
    struct ID: Hashable {
        let owner: String
        let root: ObjectPath

        init(owner: String, root: ObjectPath) {
            self.owner = owner
            self.root = root
        }

        /// What a call's first argument names, of its sender.
        init(_ call: MethodCall) {
            self.init(owner: call.sender, root: call.arguments.first?.objectPath ?? .root)
        }
    }

    struct Service: Hashable {
        let path: ObjectPath
        let uuid: String
        let isPrimary: Bool
        var characteristics: [Characteristic] = []
    }

    struct Characteristic: Hashable {
        let path: ObjectPath
        let service: ObjectPath
        let uuid: String
        let flags: CharacteristicFlags

        /// What it has sockets for, in place of D-Bus.
        let acquiredUses: Set<VirtualDaemon.SocketUse>
        var descriptors: [Descriptor] = []
    }

    struct Descriptor: Hashable {
        let path: ObjectPath
        let characteristic: ObjectPath
        let uuid: String
        let flags: CharacteristicFlags
    }

    let id: ID
    private(set) var services: [Service] = []

    var uuids: [String] { services.map(\.uuid) }

    /// Reads the tree from the reply to `GetManagedObjects`.
    ///
    /// - Throws: `org.bluez.Error.Failed` for a tree that BlueZ can't serve.
    init(_ id: ID, objects: Value?) throws(ErrorReply) {
        self.id = id
        let interfaces = (objects?.entries ?? []).flatMap { object in
            (object.value.entries ?? []).compactMap { interface in
                Interface(object.key, interface)
            }
        }
        guard !interfaces.isEmpty else { throw .failed("No object received") }
        services = interfaces.compactMap(Service.init)
        guard !services.isEmpty else { throw .failed("No valid service object found") }
        for interface in interfaces where interface.name == "org.bluez.GattCharacteristic1" {
            try add(Characteristic(interface))
        }
        for interface in interfaces where interface.name == "org.bluez.GattDescriptor1" {
            try add(Descriptor(interface))
        }
    }

    private mutating func add(_ characteristic: Characteristic?) throws(ErrorReply) {
        guard let characteristic,
            let index = services.firstIndex(where: { $0.path == characteristic.service })
        else { throw .failed("Failed to create entry in database") }
        services[index].characteristics.append(characteristic)
    }

    private mutating func add(_ descriptor: Descriptor?) throws(ErrorReply) {
        for service in services.indices {
            let characteristics = services[service].characteristics
            guard let descriptor,
                let index = characteristics.firstIndex(where: {
                    $0.path == descriptor.characteristic
                })
            else { continue }
            services[service].characteristics[index].descriptors.append(descriptor)
            return
        }
        throw .failed("Failed to create entry in database")
    }
}

/// One of BlueZ's interfaces on an application's object.
private struct Interface {
    let path: ObjectPath
    let name: String
    let properties: [String: Value]

    init?(_ path: Value, _ entry: Value.Entry) {
        guard let path = path.objectPath, let name = entry.key.string,
            name.hasPrefix("org.bluez.Gatt"), let properties = entry.value.properties
        else { return nil }
        self.path = path
        self.name = name
        self.properties = properties
    }

    var uuid: String? { properties["UUID"]?.string.flatMap(BluetoothUUIDText.normalized) }

    var flags: CharacteristicFlags? {
        properties["Flags"]?.strings.flatMap(CharacteristicFlags.init)
    }
}

extension RegisteredApplication.Service {
    fileprivate init?(_ interface: Interface) {
        guard interface.name == "org.bluez.GattService1", let uuid = interface.uuid else {
            return nil
        }
        path = interface.path
        self.uuid = uuid
        isPrimary = interface.properties["Primary"]?.bool ?? true
    }
}

extension RegisteredApplication.Characteristic {
    fileprivate init?(_ interface: Interface) {
        guard let uuid = interface.uuid, let flags = interface.flags,
            let service = interface.properties["Service"]?.objectPath
        else { return nil }
        path = interface.path
        self.service = service
        self.uuid = uuid
        self.flags = flags
        acquiredUses = Set(
            VirtualDaemon.SocketUse.allCases.filter { interface.properties[$0.rawValue] != nil }
        )
    }
}

extension RegisteredApplication.Descriptor {
    fileprivate init?(_ interface: Interface) {
        guard let uuid = interface.uuid, let flags = interface.flags,
            let characteristic = interface.properties["Characteristic"]?.objectPath
        else { return nil }
        path = interface.path
        self.characteristic = characteristic
        self.uuid = uuid
        self.flags = flags
    }
}
