internal import BLEDBus

/// An application's characteristic that a central is subscribed to.
struct Subscription: Hashable {
    /// The adapter that serves it.
    let adapter: Int
    let handle: UInt16

    /// The adapter of the central.
    let central: Int
    let owner: String
    let object: ObjectPath
}
