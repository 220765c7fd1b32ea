internal import BLEDBus

/// The attributes that an adapter serves, with their handles.
///
/// Handles of what is gone are given again only to who asks for them.
struct AttributeTable {
    /// The last handle with which the Database Hash is computed: it stays as it is from then on.
    private static let lastHashedHandle = 1_023

    private(set) var services: [VirtualService]
    /// The Database Hash: 16 bytes that change with the table; a real daemon takes AES-CMAC, whose key all know.
    private(set) var hash: [UInt8] = []
    /// One more than the highest that was ever given.
    private var nextHandle: Int

    /// The UUIDs of services that are not served, though their applications have them.
    private var hidden: Set<String> = []

    /// Makes a table of the services that a daemon has by itself.
    init(_ version: BlueZVersion) {
        services =
            version.behavior.servesChannelFeatures
            ? Self.builtInWithChannelFeatures(version) : Self.builtIn(version)
        // Behind the Device ID, a characteristic of two handles.
        nextHandle = Int(services.last?.characteristics.last?.handle ?? 0) + 2
        updateHash()
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

    /// Gives the services of an application their handles: those that it asks for, else the next ones.
    ///
    /// - Throws: `org.bluez.Error.Failed` where no handles are left, or those that are asked for are taken; then nothing is
    ///   added. Where they are taken by a service of the same UUID and size, that one is gone.
    mutating func add(_ application: RegisteredApplication) throws(ErrorReply) {
        do throws(ErrorReply) {
            try add(application.services.filter { !hidden.contains($0.uuid) }, of: application)
        } catch {
            remove(application.id)
            throw error
        }
    }

    /// Takes applications' services away.
    ///
    /// - Returns: those that were there.
    mutating func hide(_ uuids: Set<String>) -> [VirtualService] {
        hidden.formUnion(uuids)
        let gone = services.filter { $0.application != nil && uuids.contains($0.uuid) }
        removeServices { $0.application != nil && uuids.contains($0.uuid) }
        return gone
    }

    /// Serves again what was taken away, with other handles where there are some, whichever were asked for.
    mutating func show(_ uuids: Set<String>, of applications: [RegisteredApplication]) {
        let shown = hidden.intersection(uuids)
        hidden.subtract(shown)
        for application in applications {
            var services = application.services.filter { shown.contains($0.uuid) }
            for index in services.indices { services[index].handle = nil }
            try? add(services, of: application)
        }
    }

    mutating func remove(_ application: RegisteredApplication.ID) {
        removeServices { $0.application == application }
    }

    private mutating func removeServices(where isGone: (VirtualService) -> Bool) {
        services.removeAll(where: isGone)
        updateHash()
    }

    private mutating func add(
        _ added: [RegisteredApplication.Service],
        of application: RegisteredApplication
    ) throws(ErrorReply) {
        for service in added {
            let count = service.attributeCount
            let first = Int(service.handle ?? 0)
            let handles = first > 0 ? first..<first + count : nextHandle..<nextHandle + count
            try makeRoom(for: service, handles)
            nextHandle = max(nextHandle, handles.upperBound)
            var handle = UInt16(handles.lowerBound)
            services.append(VirtualService(service, of: application.id, from: &handle))
        }
        services.sort { $0.handle < $1.handle }
        updateHash()
    }

    /// Refuses handles that are taken, or beyond the last one.
    ///
    /// A service of the same UUID and size at the same handle takes the one that is there along.
    private mutating func makeRoom(
        for service: RegisteredApplication.Service,
        _ handles: Range<Int>
    ) throws(ErrorReply) {
        let others = services.filter { $0.range.overlaps(handles) }
        let isFree = others.isEmpty && handles.upperBound <= Int(UInt16.max) + 1
        guard !isFree else { return }
        for other in others where other.range == handles && other.uuid == service.uuid {
            removeServices { $0.handle == other.handle }
        }
        throw .failed("Failed to create entry in database")
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

    private mutating func updateHash() {
        guard nextHandle - 1 <= Self.lastHashedHandle else { return }
        var state: UInt64 = 0xcbf2_9ce4_8422_2325
        hash = (0..<16).map { round in
            for service in services {
                for byte in "\(round)\(service.handle)\(service.uuid)".utf8 {
                    state = (state ^ UInt64(byte)) &* 0x100_0000_01b3
                }
            }
            return UInt8(truncatingIfNeeded: state >> 32)
        }
    }
}

extension VirtualService {
    /// The attributes of an application's service, from a handle on, which is the one behind its last then.
    fileprivate init(
        _ service: RegisteredApplication.Service,
        of application: RegisteredApplication.ID,
        from next: inout UInt16
    ) {
        let handle = next
        next &+= 1
        var characteristics: [VirtualCharacteristic] = []
        for characteristic in service.characteristics {
            characteristics.append(
                VirtualCharacteristic(characteristic, of: application, from: &next)
            )
        }
        self.init(
            handle: handle,
            uuid: service.uuid,
            isPrimary: service.isPrimary,
            characteristics: characteristics,
            application: application,
            object: service.path
        )
    }
}

extension VirtualCharacteristic {
    fileprivate init(
        _ characteristic: RegisteredApplication.Characteristic,
        of application: RegisteredApplication.ID,
        from next: inout UInt16
    ) {
        let handle = next
        next &+= 2
        var descriptors: [VirtualDescriptor] = []
        if characteristic.flags.canNotify {
            descriptors.append(.clientConfiguration(next))
            next &+= 1
        }
        let extended = characteristic.flags.extendedProperties
        if extended != 0 {
            descriptors.append(.extendedProperties(next, extended))
            next &+= 1
        }
        for descriptor in characteristic.descriptors {
            descriptors.append(
                VirtualDescriptor(
                    handle: next,
                    uuid: descriptor.uuid,
                    flags: descriptor.flags,
                    source: .application(application, descriptor.path)
                )
            )
            next &+= 1
        }
        self.init(
            handle: handle,
            uuid: characteristic.uuid,
            flags: characteristic.flags,
            source: .application(application, characteristic.path),
            descriptors: descriptors,
            acquiredUses: characteristic.acquiredUses
        )
    }
}

extension RegisteredApplication.Service {
    /// How many attributes it has: a declaration, and those of its characteristics.
    fileprivate var attributeCount: Int {
        characteristics.reduce(1) { count, characteristic in
            let flags = characteristic.flags
            let own = (flags.canNotify ? 1 : 0) + (flags.extendedProperties != 0 ? 1 : 0)
            return count + 2 + own + characteristic.descriptors.count
        }
    }
}
