internal import BLEDBus

/// A value that an application has told, and that a central has to confirm.
struct Indication {
    /// What has become of the objects of its application in bluetoothd's memory.
    enum Memory { case held, freed, reused }

    let value: [UInt8]
    let handle: UInt16

    /// Whose it is, to be asked to `Confirm`.
    let application: RegisteredApplication.ID
    let object: ObjectPath

    /// Whether its turn has come.
    var isSent = false

    /// Whether the central has the value.
    var hasArrived = false

    var memory = Memory.held
}
