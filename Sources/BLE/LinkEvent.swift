/// What happens on a link without having been asked for.
public enum LinkEvent: Sendable {
    /// The peer told a value of a characteristic that was subscribed to.
    case notification(AttributeID, [UInt8])
    /// The peer took back a service, or changed it; what was known of it no longer holds.
    case servicesInvalidated([BluetoothUUID])
    /// The link ended: `nil` when it was ended here, else why.
    case disconnected(RadioError?)
}
