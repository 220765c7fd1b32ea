/// What a peripheral says of itself to whoever listens.
///
/// A legacy advertisement has 31 bytes and a scan response has 31 more:
///
/// | packet | field | bytes |
/// |---|---|---|
/// | advertisement | flags | 3 |
/// | advertisement | service UUIDs, for each length of UUID | 2 + 2, 4 or 16 for each |
/// | scan response | local name | 2 + its UTF-8, at most 29 |
///
/// Source: Core specification, Vol 3, Part C, 11; Supplement, Part A, 1.
public struct Advertisement: Hashable, Sendable {
    /// The most bytes that one legacy packet carries.
    public static let maximumPacketByteCount = 31

    /// The most bytes of UTF-8 that a local name may have.
    public static let maximumNameByteCount = 29

    /// The name for people; empty for none.
    public let localName: String

    /// The services that can be found on the peripheral.
    public let serviceUUIDs: [BluetoothUUID]

    /// What a peripheral says of itself.
    ///
    /// - Parameters:
    ///   - localName: the name for people, at most 29 bytes of UTF-8; empty for none.
    ///   - serviceUUIDs: the services that can be found on the peripheral.
    public init(localName: String, serviceUUIDs: [BluetoothUUID]) {
        self.localName = localName
        self.serviceUUIDs = serviceUUIDs
    }

    /// The bytes of the advertisement proper: flags and service UUIDs.
    public var packetByteCount: Int {
        let byLength = Dictionary(grouping: serviceUUIDs, by: \.advertisedByteCount)
        return 3 + byLength.reduce(0) { $0 + 2 + $1.key * $1.value.count }
    }

    /// The bytes of the scan response: the local name.
    public var scanResponseByteCount: Int {
        localName.isEmpty ? 0 : 2 + localName.utf8.count
    }

    /// Checks that both packets fit a legacy advertisement.
    ///
    /// A system that is given more would cut the name or change over to extended advertising, which
    /// Bluetooth 4 centrals never hear; both silently.
    ///
    /// - Throws: ``RadioError`` with the code ``RadioError/Code/invalidAdvertisement`` that says
    ///   which packet has how many bytes too many.
    public func validate() throws(RadioError) {
        if packetByteCount > Self.maximumPacketByteCount {
            throw RadioError(
                .invalidAdvertisement,
                "advertising \(serviceUUIDs.count) services takes \(packetByteCount) bytes of "
                    + "\(Self.maximumPacketByteCount)"
            )
        }
        if scanResponseByteCount > Self.maximumPacketByteCount {
            throw RadioError(
                .invalidAdvertisement,
                "the name '\(localName)' has \(localName.utf8.count) bytes of UTF-8, and an "
                    + "advertisement holds \(Self.maximumNameByteCount)"
            )
        }
    }
}
