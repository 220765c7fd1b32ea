/// What happens to a publication besides reads and writes.
public enum PublicationEvent: Sendable {
    /// A central subscribed to a characteristic, where the system tells each one; the first of them
    /// elsewhere, and `nil` then.
    ///
    /// Each one is told where the radio has ``RadioCapabilities/Features/namedSubscribers``, in a publication
    /// with ``PublicationOptions/individualNotifications``, of a characteristic with ``CharacteristicProperties/notify``.
    case subscribed(AttributeID, PeerID?)
    /// A central unsubscribed or disconnected; the last one, and `nil`, where the system does not tell which.
    case unsubscribed(AttributeID, PeerID?)
    /// ``Publication/notify(_:to:of:)`` no longer reaches a central that has subscribed, until it subscribes anew;
    /// ``Publication/update(_:to:)`` reaches it as ever.
    ///
    /// BlueZ: bluetoothd closed its socket when another central's link ended (bluez/bluez#1452). That this central
    /// unsubscribes later is told when it is the last one, or with ``disconnected(_:)``.
    case individualNotificationsEnded(AttributeID, PeerID)
    /// A peer connected, whichever of the two asked for the connection.
    ///
    /// Of those that were connected when this was published the ones are told that this radio had called, and those that the
    /// system is not to remember; paired ones with their first request.
    case connected(PeerID)
    /// The ATT MTU of the connection to a central is this many bytes from now on; also before its first request where the
    /// system tells it.
    case mtuChanged(Int, of: PeerID)
    /// A peer disconnected.
    case disconnected(PeerID)
    /// So many writes without a response were lost here, after those that the responder has got by now: 1024 others waited for it.
    ///
    /// The central is not told. Whoever needs each of them has to end the connection, or ask for them again.
    case lostWrites(Int, to: AttributeID, from: PeerID)
    /// The publication ended without ``Publication/withdraw()``. The last event.
    case ended(RadioError)
}
