/// What a peripheral advertises.
///
/// A legacy advertisement has 31 bytes, and its scan response 31 more:
///
/// | packet | field | bytes |
/// |---|---|---|
/// | advertisement | flags | 3 |
/// | advertisement | service UUIDs, for each length of UUID | 2 + 2, 4 or 16 for each |
/// | advertisement | manufacturer data, for each company | 4 + the data |
/// | advertisement | service data, for each service | 2 + 2, 4 or 16 + the data |
/// | advertisement | transmit power | 3 |
/// | scan response | local name | 2 + its UTF-8, at most 29 |
/// | scan response | appearance | 4 |
///
/// Source: Core specification, Vol 3, Part C, 11; Supplement, Part A, 1.
public struct Advertisement: Hashable, Sendable {
    /// The most bytes that one legacy packet carries.
    public static let maximumPacketByteCount = 31

    /// The most bytes of UTF-8 that a local name may have.
    public static let maximumNameByteCount = 29

    /// The name that people see; empty for none.
    public var localName: String

    /// The services that the peripheral offers.
    public var serviceUUIDs: [BluetoothUUID]

    /// Data for manufacturers, by their company identifiers.
    public var manufacturerData: [UInt16: [UInt8]] = [:]

    /// Data for services.
    public var serviceData: [BluetoothUUID: [UInt8]] = [:]

    /// The appearance, such as 0x0180 for a remote control; `nil` for none.
    public var appearance: UInt16?

    /// Whether the transmit power is advertised.
    public var includesTxPower = false

    /// Whether scans that look for discoverable devices alone report it; so it is unless told otherwise.
    ///
    /// Source: Core specification, Vol 3, Part C, 9.2.4, general discoverable mode.
    public var isDiscoverable = true

    /// Whether centrals may connect; so it is unless told otherwise.
    public var isConnectable = true

    /// How long it is from one advertising event to the next, 20 ms to 10.24 s; `nil` for the system's choice.
    ///
    /// A wish, heeded where the radio has ``RadioCapabilities/Features/advertisingIntervals``.
    public var interval: ClosedRange<Duration>?

    /// Creates an advertisement.
    ///
    /// - Parameters:
    ///   - localName: the name that people see, at most 29 bytes of UTF-8; empty for none.
    ///   - serviceUUIDs: the services that the peripheral offers.
    public init(localName: String = "", serviceUUIDs: [BluetoothUUID]) {
        self.localName = localName
        self.serviceUUIDs = serviceUUIDs
    }

    /// The size of the advertising packet: flags, service UUIDs, data and transmit power.
    public var packetByteCount: Int {
        let byLength = Dictionary(grouping: serviceUUIDs, by: \.advertisedByteCount)
        let uuids = byLength.reduce(0) { $0 + 2 + $1.key * $1.value.count }
        let forManufacturers = manufacturerData.reduce(0) { $0 + 4 + $1.value.count }
        let forServices = serviceData.reduce(0) {
            $0 + 2 + $1.key.advertisedByteCount + $1.value.count
        }
        return 3 + uuids + forManufacturers + forServices + (includesTxPower ? 3 : 0)
    }

    /// The size of the scan response: local name and appearance.
    public var scanResponseByteCount: Int {
        (localName.isEmpty ? 0 : 2 + localName.utf8.count) + (appearance == nil ? 0 : 4)
    }

    /// Checks that both packets fit into legacy advertising, and that the interval can be had.
    ///
    /// Given more, a system silently truncates the name, or switches to extended advertising, which
    /// Bluetooth 4 centrals cannot receive.
    ///
    /// - Throws: ``RadioError`` with ``RadioError/Code/invalidAdvertisement``, which says what is too
    ///   long.
    public func validate() throws(RadioError) {
        if packetByteCount > Self.maximumPacketByteCount {
            let data = manufacturerData.isEmpty && serviceData.isEmpty ? "" : " and their data"
            throw RadioError(
                .invalidAdvertisement,
                "advertising \(serviceUUIDs.count) services\(data) takes \(packetByteCount) bytes; an "
                    + "advertisement holds \(Self.maximumPacketByteCount)"
            )
        }
        if scanResponseByteCount > Self.maximumPacketByteCount {
            let room = Self.maximumNameByteCount - (appearance == nil ? 0 : 4)
            throw RadioError(
                .invalidAdvertisement,
                "the name '\(localName)' has \(localName.utf8.count) bytes of UTF-8; an "
                    + "advertisement holds \(room)\(appearance == nil ? "" : " beside an appearance")"
            )
        }
        let intervals: ClosedRange<Duration> = .milliseconds(20) ... .milliseconds(10_240)
        if let interval, interval.clamped(to: intervals) != interval {
            throw RadioError(
                .invalidAdvertisement,
                "an advertising interval is 20 ms to 10.24 s, not "
                    + "\(interval.lowerBound) to \(interval.upperBound)"
            )
        }
    }
}
