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
    /// So many writes without a response were lost here, after those that the responder has got by now: 1024 others waited for it.
    ///
    /// The central is not told. Whoever needs each of them has to end the connection, or ask for them again.
    case lostWrites(Int, to: AttributeID, from: PeerID)
    /// The publication ended without ``Publication/withdraw()``. The last event.
    case ended(RadioError)
}
