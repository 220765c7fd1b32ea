/// What happens on a link besides the replies to requests.
public enum LinkEvent: Sendable {
    /// The peer notified or indicated a value of a characteristic that was subscribed to.
    case notification(AttributeID, [UInt8])
    /// The peer removed or changed these services; their characteristics can no longer be used.
    case servicesInvalidated([BluetoothUUID])
    /// The connection ended: `nil` after ``Link/disconnect()``, else why. The last event.
    case disconnected(RadioError?)
}
