/// What happens to a publication besides reads and writes.
public enum PublicationEvent: Sendable {
    /// A central subscribed to a characteristic. Systems don't tell which one.
    case subscribed(BluetoothUUID)
    /// The last subscriber of a characteristic unsubscribed or disconnected.
    case unsubscribed(BluetoothUUID)
    /// A central connected.
    case connected(PeerID)
    /// A central disconnected.
    case disconnected(PeerID)
    /// The publication ended without ``Publication/withdraw()``. The last event.
    case ended(RadioError)
}
