internal import DBus

/// The attributes that an adapter serves, with their handles.
///
/// Handles of what is gone are not given again.
struct AttributeTable {
    private(set) var services: [VirtualService]
    private var nextHandle: UInt16

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

    /// The UUIDs of all services, as a central's Device1 lists them.
    var uuids: [String] { Set(services.map(\.uuid)).sorted() }

    /// Gives the services of an application their handles.
    mutating func add(_ application: RegisteredApplication) {
        for service in application.services {
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

    // MARK: - Built in

    private static let genericAccess = BluetoothUUIDText.long("1800")
    private static let genericAttribute = BluetoothUUIDText.long("1801")
    private static let databaseHash = BluetoothUUIDText.long("2b2a")

    private static func builtInWithChannelFeatures(_ version: BlueZVersion) -> [VirtualService] {
        [
            VirtualService(
                handle: 0x01,
                uuid: genericAccess,
                characteristics: names(version) + [builtIn(0x06, "2aa6", .read, [1])]
            ),
            VirtualService(
                handle: 0x08,
                uuid: genericAttribute,
                characteristics: [
                    builtIn(0x09, "2a05", .indicate, [], [.clientConfiguration(0x0b)]),
                    builtIn(0x0c, "2b29", .readWrite, [0]),
                    builtIn(0x0e, "2b2a", .read, []),
                    builtIn(0x10, "2b3a", .read, [1]),
                ]
            ),
            deviceInformation(at: 0x12, version),
        ]
    }

    private static func builtIn(_ version: BlueZVersion) -> [VirtualService] {
        [
            VirtualService(handle: 0x01, uuid: genericAccess, characteristics: names(version)),
            VirtualService(
                handle: 0x06,
                uuid: genericAttribute,
                characteristics: [
                    builtIn(0x07, "2a05", .indicate, [], [.clientConfiguration(0x09)]),
                    builtIn(0x0a, "2b29", .readWrite, [0]),
                    builtIn(0x0c, "2b2a", .read, []),
                ]
            ),
            deviceInformation(at: 0x10, version),
        ]
    }

    /// Device Name and Appearance.
    private static func names(_ version: BlueZVersion) -> [VirtualCharacteristic] {
        [
            builtIn(0x02, "2a00", .read, Array("BlueZ \(version)".utf8)),
            builtIn(0x04, "2a01", .read, [0, 0]),
        ]
    }

    private static func deviceInformation(
        at handle: UInt16,
        _ version: BlueZVersion
    ) -> VirtualService {
        let release = version.behavior.deviceRelease
        // USB, vendor 0x1d6b, product 0x0246.
        let device: [UInt8] = [0x02, 0x6b, 0x1d, 0x46, 0x02]
        let value = device + [UInt8(release & 0xff), UInt8(release >> 8)]
        return VirtualService(
            handle: handle,
            uuid: BluetoothUUIDText.long("180a"),
            characteristics: [builtIn(handle + 1, "2a50", .read, value)]
        )
    }

    private static func builtIn(
        _ handle: UInt16,
        _ uuid: String,
        _ flags: CharacteristicFlags,
        _ value: [UInt8],
        _ descriptors: [VirtualDescriptor] = []
    ) -> VirtualCharacteristic {
        VirtualCharacteristic(
            handle: handle,
            uuid: BluetoothUUIDText.long(uuid),
            flags: flags,
            source: .builtIn(value),
            descriptors: descriptors
        )
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

extension VirtualDescriptor {
    /// Which of notifications and indications a central wants.
    fileprivate static func clientConfiguration(_ handle: UInt16) -> VirtualDescriptor {
        VirtualDescriptor(
            handle: handle,
            uuid: BluetoothUUIDText.long("2902"),
            flags: .readWrite,
            source: .clientConfiguration
        )
    }
}
