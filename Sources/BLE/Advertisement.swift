/// What a peripheral advertises.
///
/// A legacy advertisement has 31 bytes, and its scan response 31 more:
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

    /// The name that people see; empty for none.
    public let localName: String

    /// The services that the peripheral offers.
    public let serviceUUIDs: [BluetoothUUID]

    /// Creates an advertisement.
    ///
    /// - Parameters:
    ///   - localName: the name that people see, at most 29 bytes of UTF-8; empty for none.
    ///   - serviceUUIDs: the services that the peripheral offers.
    public init(localName: String, serviceUUIDs: [BluetoothUUID]) {
        self.localName = localName
        self.serviceUUIDs = serviceUUIDs
    }

    /// The size of the advertising packet: flags and service UUIDs.
    public var packetByteCount: Int {
        let byLength = Dictionary(grouping: serviceUUIDs, by: \.advertisedByteCount)
        return 3 + byLength.reduce(0) { $0 + 2 + $1.key * $1.value.count }
    }

    /// The size of the scan response: the local name.
    public var scanResponseByteCount: Int {
        localName.isEmpty ? 0 : 2 + localName.utf8.count
    }

    /// Checks that both packets fit into legacy advertising.
    ///
    /// Given more, a system silently truncates the name, or switches to extended advertising, which
    /// Bluetooth 4 centrals cannot receive.
    ///
    /// - Throws: ``RadioError`` with ``RadioError/Code/invalidAdvertisement``, which says what is too
    ///   long.
    public func validate() throws(RadioError) {
        if packetByteCount > Self.maximumPacketByteCount {
            throw RadioError(
                .invalidAdvertisement,
                "advertising \(serviceUUIDs.count) services takes \(packetByteCount) bytes; an "
                    + "advertisement holds \(Self.maximumPacketByteCount)"
            )
        }
        if scanResponseByteCount > Self.maximumPacketByteCount {
            throw RadioError(
                .invalidAdvertisement,
                "the name '\(localName)' has \(localName.utf8.count) bytes of UTF-8; an "
                    + "advertisement holds \(Self.maximumNameByteCount)"
            )
        }
    }
}
