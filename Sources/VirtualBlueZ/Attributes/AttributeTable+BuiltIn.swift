/// What a daemon serves by itself.
extension AttributeTable {
    static let genericAccess = BluetoothUUIDText.long("1800")
    static let genericAttribute = BluetoothUUIDText.long("1801")
    static let serviceChanged = BluetoothUUIDText.long("2a05")
    static let databaseHash = BluetoothUUIDText.long("2b2a")

    static func builtInWithChannelFeatures(_ version: BlueZVersion) -> [VirtualService] {
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

    static func builtIn(_ version: BlueZVersion) -> [VirtualService] {
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
    static func names(_ version: BlueZVersion) -> [VirtualCharacteristic] {
        [
            builtIn(0x02, "2a00", .read, Array("BlueZ \(version)".utf8)),
            builtIn(0x04, "2a01", .read, [0, 0]),
        ]
    }

    static func deviceInformation(
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

    static func builtIn(
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
}
