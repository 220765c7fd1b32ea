/// One peer as it was just heard.
public struct Sighting: Hashable, Sendable {
    /// Who was heard.
    public let peer: PeerID

    /// The peer's address, where the system tells it.
    public let address: BluetoothAddress?

    /// The advertised name; empty while none has been heard.
    public let name: String

    /// How loud the peer was; `nil` while the radio has not measured it.
    public let rssi: RSSI?

    /// The services that the peer advertised.
    public let serviceUUIDs: [BluetoothUUID]

    /// One peer as it was just heard.
    ///
    /// - Parameters:
    ///   - peer: who was heard.
    ///   - address: the peer's address, where the system tells it.
    ///   - name: the advertised name; empty while none has been heard.
    ///   - rssi: how loud the peer was; `nil` while the radio has not measured it.
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

/// What a scan hears.
public enum ScanEvent: Hashable, Sendable {
    /// A peer was heard, for the first time or again.
    case seen(Sighting)
    /// The radio has forgotten a peer that it had reported; it can no longer be connected to.
    case lost(PeerID)
}
