/// An advertisement as it was received from a peer, with what its earlier ones have said.
///
/// A peer may advertise its name in one packet and its services in another, so what is missing in this one
/// has its last value; what the peer has stopped to advertise stays until the system forgets it.
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

    /// The data that the peer advertised for manufacturers, by their company identifiers.
    ///
    /// Source: Bluetooth SIG, Assigned Numbers, 7 Company identifiers.
    public let manufacturerData: [UInt16: [UInt8]]

    /// The data that the peer advertised for services.
    public let serviceData: [BluetoothUUID: [UInt8]]

    /// The advertised transmit power in dBm, −127 to 127; `nil` for none.
    public let txPower: Int?

    /// The advertised appearance, such as 0x0180 for a remote control; `nil` for none.
    ///
    /// Source: Bluetooth SIG, Assigned Numbers, 2.6 Appearance values.
    public let appearance: UInt16?

    /// Whether the peer takes connections; `nil` where the system does not tell it.
    public let isConnectable: Bool?

    /// When the advertisement was received; `nil` where that is not known.
    public let time: ContinuousClock.Instant?

    /// Creates a sighting.
    ///
    /// - Parameters:
    ///   - peer: the peer that advertises.
    ///   - address: the peer's address; `nil` where the system does not tell it.
    ///   - name: the advertised name; empty while none has been received.
    ///   - rssi: the signal strength; `nil` when the radio has not measured it.
    ///   - serviceUUIDs: the services that the peer advertised.
    ///   - manufacturerData: data by company identifiers.
    ///   - serviceData: data by services.
    ///   - txPower: the advertised transmit power in dBm; `nil` for none.
    ///   - appearance: the advertised appearance; `nil` for none.
    ///   - isConnectable: whether the peer takes connections; `nil` for unknown.
    ///   - time: when the advertisement was received; `nil` for unknown.
    public init(
        peer: PeerID,
        address: BluetoothAddress? = nil,
        name: String,
        rssi: RSSI?,
        serviceUUIDs: [BluetoothUUID],
        manufacturerData: [UInt16: [UInt8]] = [:],
        serviceData: [BluetoothUUID: [UInt8]] = [:],
        txPower: Int? = nil,
        appearance: UInt16? = nil,
        isConnectable: Bool? = nil,
        time: ContinuousClock.Instant? = nil
    ) {
        self.peer = peer
        self.address = address
        self.name = name
        self.rssi = rssi
        self.serviceUUIDs = serviceUUIDs
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.txPower = txPower
        self.appearance = appearance
        self.isConnectable = isConnectable
        self.time = time
    }
}

/// What a scan reports.
public enum ScanEvent: Hashable, Sendable {
    /// An advertisement was received, the first one of a peer or a later one.
    case seen(Sighting)
    /// The radio has dropped a peer that it had reported, and can no longer connect to it.
    case lost(PeerID)
}
