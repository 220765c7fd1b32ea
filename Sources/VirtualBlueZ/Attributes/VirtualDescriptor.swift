internal import BLEDBus

/// A descriptor in an adapter's attribute table.
struct VirtualDescriptor: Hashable {
    /// Who answers for it.
    enum Source: Hashable {
        /// The daemon itself: who is subscribed.
        case clientConfiguration
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
}
