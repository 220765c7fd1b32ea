internal import BLEDBus

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

        /// The handle that it asks for; `nil` or 0 for any.
        var handle: UInt16?
        var characteristics: [Characteristic] = []
    }

    struct Characteristic: Hashable {
        let path: ObjectPath
        let service: ObjectPath
        let uuid: String
        let flags: CharacteristicFlags

        /// What it has sockets for, in place of D-Bus.
        let acquiredUses: Set<SocketUse>
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

    /// The objects that have a `Handle` and ask for none: they are told theirs.
    let unnumberedObjects: Set<ObjectPath>

    var uuids: [String] { services.map(\.uuid) }

    /// It has no service of a UUID any longer.
    mutating func lose(_ uuid: String) {
        services.removeAll { $0.uuid == uuid }
    }

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
        unnumberedObjects = Set(
            interfaces.filter { $0.properties["Handle"]?.uint16 == 0 }.map(\.path)
        )
        guard !interfaces.isEmpty else { throw .failed("No object received") }
        guard Self.isTree(interfaces) else { throw .failed("No valid service object found") }
        guard interfaces.allSatisfy(\.isReadable) else {
            throw .failed("Failed to create entry in database")
        }
        let descriptors = Dictionary(
            grouping: interfaces.compactMap(Descriptor.init),
            by: \.characteristic
        )
        var characteristics = interfaces.compactMap(Characteristic.init)
        for index in characteristics.indices {
            characteristics[index].descriptors = descriptors[characteristics[index].path] ?? []
        }
        services = interfaces.compactMap(Service.init)
        for index in services.indices {
            let path = services[index].path
            services[index].characteristics = characteristics.filter { $0.service == path }
        }
    }

    /// Whether there is a service or a profile, and all else belongs to a service and says what it can do.
    ///
    /// Source: BlueZ, src/gatt-database.c, `client_ready_cb`, `create_profile`.
    private static func isTree(_ interfaces: [Interface]) -> Bool {
        func paths(_ kind: Interface.Kind) -> Set<ObjectPath> {
            Set(interfaces.filter { $0.kind == kind }.map(\.path))
        }
        let (services, characteristics) = (paths(.service), paths(.characteristic))
        return !(services.isEmpty && paths(.profile).isEmpty)
            && interfaces.allSatisfy { interface in
                switch interface.kind {
                case .service: true
                case .profile: interface.properties["UUIDs"]?.strings?.isEmpty == false
                case .characteristic:
                    interface.flags != nil
                        && interface.path("Service").map(services.contains) == true
                case .descriptor:
                    interface.flags != nil
                        && interface.path("Characteristic").map(characteristics.contains) == true
                }
            }
    }
}

/// One of BlueZ's interfaces on an application's object.
private struct Interface {
    enum Kind: String {
        case service = "org.bluez.GattService1"
        case characteristic = "org.bluez.GattCharacteristic1"
        case descriptor = "org.bluez.GattDescriptor1"
        case profile = "org.bluez.GattProfile1"
    }

    let path: ObjectPath
    let kind: Kind
    let properties: [String: Value]

    init?(_ path: Value, _ entry: Value.Entry) {
        guard let path = path.objectPath, let kind = Kind(rawValue: entry.key.string ?? ""),
            let properties = entry.value.properties
        else { return nil }
        self.path = path
        self.kind = kind
        self.properties = properties
    }

    /// Whether it has what it needs, of the right types; all may have a handle.
    ///
    /// Source: BlueZ, src/gatt-database.c, `parse_primary`, `parse_handle`.
    var isReadable: Bool {
        guard kind != .profile else { return true }
        let handle = properties["Handle"]
        return uuid != nil && (kind != .service || isPrimary != nil)
            && (handle == nil || handle?.uint16 != nil)
    }

    var isPrimary: Bool? { properties["Primary"]?.bool }

    func path(_ property: String) -> ObjectPath? { properties[property]?.objectPath }

    /// `nil` also for those of services that the daemon has by itself, and keeps for itself.
    ///
    /// Source: BlueZ, src/gatt-database.c, `parse_uuid`.
    var uuid: String? {
        let uuid = properties["UUID"]?.string.flatMap(BluetoothUUIDText.normalized)
        let own = [AttributeTable.genericAccess, AttributeTable.genericAttribute]
        return uuid.flatMap { own.contains($0) ? nil : $0 }
    }

    var flags: CharacteristicFlags? {
        guard let names = properties["Flags"]?.strings else { return nil }
        return kind == .descriptor
            ? CharacteristicFlags(ofDescriptor: names) : CharacteristicFlags(names)
    }
}

extension RegisteredApplication.Service {
    fileprivate init?(_ interface: Interface) {
        guard interface.kind == .service, let uuid = interface.uuid,
            let isPrimary = interface.isPrimary
        else { return nil }
        path = interface.path
        self.uuid = uuid
        self.isPrimary = isPrimary
        handle = interface.properties["Handle"]?.uint16
    }
}

extension RegisteredApplication.Characteristic {
    fileprivate init?(_ interface: Interface) {
        guard interface.kind == .characteristic, let uuid = interface.uuid,
            let flags = interface.flags, let service = interface.path("Service")
        else { return nil }
        path = interface.path
        self.service = service
        self.uuid = uuid
        self.flags = flags
        acquiredUses = Set(
            SocketUse.allCases.filter { interface.properties[$0.rawValue] != nil }
        )
    }
}

extension RegisteredApplication.Descriptor {
    fileprivate init?(_ interface: Interface) {
        guard interface.kind == .descriptor, let uuid = interface.uuid,
            let flags = interface.flags, let characteristic = interface.path("Characteristic")
        else { return nil }
        path = interface.path
        self.characteristic = characteristic
        self.uuid = uuid
        self.flags = flags
    }
}
