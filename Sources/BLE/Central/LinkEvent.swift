/// What happens on a link besides the replies to requests.
public enum LinkEvent: Sendable {
    /// The peer notified or indicated a value of a characteristic that this link has subscribed to.
    ///
    /// On BlueZ it may also be a value that another program has read, or a call of ``Link/read(_:)-(AttributeID)`` that was cancelled.
    case notification(AttributeID, [UInt8])
    /// The peer removed or changed these services, which ``Link/discoverServices()`` had found; their
    /// characteristics can no longer be used.
    case servicesInvalidated([BluetoothUUID])
    /// The ATT MTU of the connection is this many bytes from now on.
    case mtuChanged(Int)
    /// The link ended: `nil` after ``Link/disconnect()``, else why. The last event.
    case disconnected(RadioError?)
}
