/// A device as an adapter knows it: who looks, and at whom.
///
/// Every peer is itself one of the daemon's adapters.
struct DeviceID: Hashable, Sendable {
    /// The adapter below which the object stands.
    let adapter: Int

    /// The adapter that the object stands for.
    let peer: Int

    /// The other end's object of the same link.
    var mirrored: DeviceID { DeviceID(adapter: peer, peer: adapter) }
}
