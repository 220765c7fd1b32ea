internal import BLEDBus

/// The attributes that an adapter serves, with their handles.
///
/// Handles of what is gone are not given again.
struct AttributeTable {
    private(set) var services: [VirtualService]
    private var nextHandle: UInt16

    /// The UUIDs of services that are not served, though their applications have them.
    private var hidden: Set<String> = []

    /// Makes a table of the services that a daemon has by itself.
    init(_ version: BlueZVersion) {
        services =
            version.behavior.servesChannelFeatures
            ? Self.builtInWithChannelFeatures(version) : Self.builtIn(version)
        // Behind the Device ID, a characteristic of two handles.
        nextHandle = (services.last?.characteristics.last?.handle ?? 0) + 2
    }

    /// The services that have objects at a central.
    func discovered(withGenericAccess: Bool) -> [VirtualService] {
        services.filter { withGenericAccess || $0.uuid != Self.genericAccess }.map(withHash)
    }

    /// Whether an application's attribute has a handle.
    func serves(_ handle: UInt16) -> Bool {
        services.contains { $0.application != nil && $0.handles.contains(handle) }
    }

    /// The UUIDs of all services, as a central's Device1 lists them.
    var uuids: [String] { Set(services.map(\.uuid)).sorted() }

    /// Gives the services of an application their handles.
    mutating func add(_ application: RegisteredApplication) {
        add(application.services.filter { !hidden.contains($0.uuid) }, of: application)
    }

    /// Takes applications' services away.
    ///
    /// - Returns: those that were there.
    mutating func hide(_ uuids: Set<String>) -> [VirtualService] {
        hidden.formUnion(uuids)
        let gone = services.filter { $0.application != nil && uuids.contains($0.uuid) }
        services.removeAll { $0.application != nil && uuids.contains($0.uuid) }
        return gone
    }

    /// Serves again what was taken away, with other handles.
    mutating func show(_ uuids: Set<String>, of applications: [RegisteredApplication]) {
        let shown = hidden.intersection(uuids)
        hidden.subtract(shown)
        for application in applications {
            add(application.services.filter { shown.contains($0.uuid) }, of: application)
        }
    }

    private mutating func add(
        _ added: [RegisteredApplication.Service],
        of application: RegisteredApplication
    ) {
        for service in added {
            let handle = takeHandles(1)
            let characteristics = service.characteristics.map {
                place($0, of: application.id)
            }
            services.append(
                VirtualService(
                    handle: handle,
                    uuid: service.uuid,
                    isPrimary: service.isPrimary,
                    characteristics: characteristics,
                    application: application.id
                )
            )
        }
    }

    mutating func remove(_ application: RegisteredApplication.ID) {
        services.removeAll { $0.application == application }
    }

    private mutating func place(
        _ characteristic: RegisteredApplication.Characteristic,
        of application: RegisteredApplication.ID
    ) -> VirtualCharacteristic {
        let handle = takeHandles(2)
        var descriptors: [VirtualDescriptor] = []
        if characteristic.flags.canNotify {
            descriptors.append(.clientConfiguration(takeHandles(1)))
        }
        for descriptor in characteristic.descriptors {
            descriptors.append(
                VirtualDescriptor(
                    handle: takeHandles(1),
                    uuid: descriptor.uuid,
                    flags: descriptor.flags,
                    source: .application(application, descriptor.path)
                )
            )
        }
        return VirtualCharacteristic(
            handle: handle,
            uuid: characteristic.uuid,
            flags: characteristic.flags,
            source: .application(application, characteristic.path),
            descriptors: descriptors,
            acquiredUses: characteristic.acquiredUses
        )
    }

    private mutating func takeHandles(_ count: UInt16) -> UInt16 {
        defer { nextHandle += count }
        return nextHandle
    }

    /// The service with the Database Hash of the table as it is now in its characteristic.
    private func withHash(_ service: VirtualService) -> VirtualService {
        guard service.application == nil else { return service }
        return VirtualService(
            handle: service.handle,
            uuid: service.uuid,
            characteristics: service.characteristics.map { characteristic in
                guard characteristic.uuid == Self.databaseHash else { return characteristic }
                return Self.builtIn(characteristic.handle, "2b2a", .read, hash)
            }
        )
    }

    /// 16 bytes that change with the table; a real daemon takes AES-CMAC, whose key all know.
    private var hash: [UInt8] {
        var state: UInt64 = 0xcbf2_9ce4_8422_2325
        return (0..<16).map { round in
            for service in services {
                for byte in "\(round)\(service.handle)\(service.uuid)".utf8 {
                    state = (state ^ UInt64(byte)) &* 0x100_0000_01b3
                }
            }
            return UInt8(truncatingIfNeeded: state >> 32)
        }
    }
}
