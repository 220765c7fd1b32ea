/// An advertisement as it was received from a peer.
public struct Sighting: Hashable, Sendable {
    /// The peer that advertises.
    public let peer: PeerID

    /// The peer's address; `nil` where the system does not tell it.
    public let address: BluetoothAddress?

    /// The advertised name; empty while none has been received.
    public let name: String

    /// The signal strength; `nil` when the radio has not measured it.
    public let rssi: RSSI?

    /// The services that the peer advertised.
    public let serviceUUIDs: [BluetoothUUID]

    /// Creates a sighting.
    ///
    /// - Parameters:
    ///   - peer: the peer that advertises.
    ///   - address: the peer's address; `nil` where the system does not tell it.
    ///   - name: the advertised name; empty while none has been received.
    ///   - rssi: the signal strength; `nil` when the radio has not measured it.
    ///   - serviceUUIDs: the services that the peer advertised.
    public init(
        peer: PeerID,
        address: BluetoothAddress? = nil,
        name: String,
        rssi: RSSI?,
        serviceUUIDs: [BluetoothUUID]
    ) {
        self.peer = peer
        self.address = address
        self.name = name
        self.rssi = rssi
        self.serviceUUIDs = serviceUUIDs
    }
}

/// What a scan reports.
public enum ScanEvent: Hashable, Sendable {
    /// An advertisement was received, the first one of a peer or a later one.
    case seen(Sighting)
    /// The radio has dropped a peer that it had reported, and can no longer connect to it.
    case lost(PeerID)
}
