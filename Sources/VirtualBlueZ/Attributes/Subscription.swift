internal import DBus

/// An application's characteristic.
struct Subscription: Hashable {
    /// The adapter that serves it.
    let adapter: Int
    let handle: UInt16
    let owner: String
    let object: ObjectPath
}
