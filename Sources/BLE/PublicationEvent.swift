/// What happens to a publication besides reads and writes.
public enum PublicationEvent: Sendable {
    /// Somebody subscribed to a characteristic; systems don't say who.
    case subscribed(BluetoothUUID)
    /// The last subscriber of a characteristic has gone.
    case unsubscribed(BluetoothUUID)
    /// A central connected.
    case connected(PeerID)
    /// A central's link ended.
    case disconnected(PeerID)
    /// The publication ended without having been withdrawn; nothing comes after this.
    case ended(RadioError)
}
