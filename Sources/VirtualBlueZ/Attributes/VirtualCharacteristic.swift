internal import BLEDBus

/// A characteristic in an adapter's attribute table.
struct VirtualCharacteristic: Hashable {
    /// Who answers for an attribute.
    enum Source: Hashable {
        /// The daemon itself, with a value that stays.
        case builtIn([UInt8])
        /// An application's object.
        case application(RegisteredApplication.ID, ObjectPath)

        var application: RegisteredApplication.ID? {
            guard case .application(let id, _) = self else { return nil }
            return id
        }
    }

    let handle: UInt16
    let uuid: String
    let flags: CharacteristicFlags
    let source: Source
    let descriptors: [VirtualDescriptor]

    /// What its application has sockets for, in place of D-Bus.
    var acquiredUses: Set<SocketUse> = []

    /// The value that a central knows before it has read it.
    var discoveredValue: [UInt8] {
        guard case .builtIn(let value) = source, Self.readByDaemon.contains(uuid) else {
            return []
        }
        return value
    }

    /// The Database Hash and the Server Supported Features, which a daemon reads for itself.
    private static let readByDaemon = ["2b2a", "2b3a"].map(BluetoothUUIDText.long)

    func path(below service: ObjectPath) -> ObjectPath {
        service.child("char" + handle.fourDigits)
    }
}
