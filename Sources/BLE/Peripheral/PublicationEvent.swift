/// What happens to a publication besides reads and writes.
public enum PublicationEvent: Sendable {
    /// A central subscribed to a characteristic, where the system tells each one; the first of them
    /// elsewhere, and `nil` then.
    ///
    /// Each one is told where the radio has ``RadioCapabilities/Features/namedSubscribers``, in a publication
    /// with ``PublicationOptions/individualNotifications``.
    case subscribed(AttributeID, PeerID?)
    /// A central unsubscribed or disconnected; the last one, and `nil`, where the system does not tell which.
    case unsubscribed(AttributeID, PeerID?)
    /// A central connected.
    case connected(PeerID)
    /// A central disconnected.
    case disconnected(PeerID)
    /// The publication ended without ``Publication/withdraw()``. The last event.
    case ended(RadioError)
}
