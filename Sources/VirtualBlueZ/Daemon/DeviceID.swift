/// A device as an adapter knows it: who looks, and at whom.
///
/// Every peer is itself one of the daemon's adapters.
struct DeviceID: Hashable, Sendable {
    /// The adapter below which the object stands.
    let adapter: Int

    /// The adapter that the object stands for.
    let peer: Int

    /// How the peer knows the adapter.
    var opposite: DeviceID { DeviceID(adapter: peer, peer: adapter) }

    /// The peer's address, and of which kind it is.
    var peerAddress: (text: String, type: String) {
        peer < Crowd.firstPeer
            ? (VirtualAdapter.address(of: peer), "public")
            : (Crowd.address(of: peer - Crowd.firstPeer), "random")
    }
}
