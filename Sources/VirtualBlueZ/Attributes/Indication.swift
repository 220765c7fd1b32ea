internal import BLEDBus

/// A value that an application has told, and that a central has to confirm.
struct Indication {
    let value: [UInt8]
    let handle: UInt16

    /// Whose it is, to be asked to `Confirm`.
    let application: RegisteredApplication.ID
    let object: ObjectPath

    /// Whether the central has the value.
    var hasArrived = false
}
