internal import BLEDBus

/// A descriptor in an adapter's attribute table.
struct VirtualDescriptor: Hashable {
    /// Who answers for it.
    enum Source: Hashable {
        /// The daemon itself: who is subscribed.
        case clientConfiguration
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

    func path(below characteristic: ObjectPath) -> ObjectPath {
        characteristic.child("desc" + handle.fourDigits)
    }

    /// Which of notifications and indications a central wants.
    static func clientConfiguration(_ handle: UInt16) -> VirtualDescriptor {
        VirtualDescriptor(
            handle: handle,
            uuid: BluetoothUUIDText.long("2902"),
            flags: .readWrite,
            source: .clientConfiguration
        )
    }

    /// What can be done with a characteristic beyond its properties.
    static func extendedProperties(_ handle: UInt16, _ bits: UInt8) -> VirtualDescriptor {
        VirtualDescriptor(
            handle: handle,
            uuid: BluetoothUUIDText.long("2900"),
            flags: .read,
            source: .builtIn([bits, 0])
        )
    }
}
