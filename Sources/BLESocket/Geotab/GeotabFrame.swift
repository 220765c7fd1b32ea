/// A message of the Geotab add-on protocol.
///
/// | bytes | hold |
/// |---|---|
/// | 02 | the start |
/// | 1 | the kind |
/// | 1 | how many bytes the body has; 2, little-endian, in ``Kind/applicationData`` and ``Kind/extendedData`` |
/// | n | the body |
/// | 2 | ``GeotabChecksum`` of all before |
/// | 03 | the end |
///
/// Source: Docs/Wire.md.
public struct GeotabFrame: Hashable, Sendable {
    /// What a frame is for.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// From the device: it asks who is there; without a body.
        public static let handshakeRequest = Kind(rawValue: 0x01)
        /// From the device: it has what it was sent; without a body.
        public static let acknowledgement = Kind(rawValue: 0x02)
        /// From the device: ``VehicleData``.
        public static let vehicleData = Kind(rawValue: 0x21)
        /// From the device: what came of the last ``applicationData``; 4 bytes, the first 1 for success.
        public static let result = Kind(rawValue: 0x22)
        /// From the device: data, up to 65,535 bytes.
        public static let extendedData = Kind(rawValue: 0x24)
        /// From the add-on: its identifier and its flags; 4 bytes.
        public static let handshakeConfirmation = Kind(rawValue: 0x81)
        /// From the add-on: it has the vehicle data; without a body.
        public static let vehicleDataAcknowledgement = Kind(rawValue: 0x84)
        /// From the add-on: data, up to 65,535 bytes.
        public static let applicationData = Kind(rawValue: 0x88)

        /// The byte that stands for it.
        public let rawValue: UInt8

        /// Creates a kind.
        ///
        /// - Parameter rawValue: the byte that stands for it; any.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// How many bytes say how long the body is.
        var lengthByteCount: Int {
            [.applicationData, .extendedData].contains(self) ? 2 : 1
        }

        /// How many bytes the body has at most: 255, or 65,535.
        public var maximumBodyByteCount: Int { 1 << (8 * lengthByteCount) - 1 }
    }

    static let start: UInt8 = 0x02
    static let end: UInt8 = 0x03
    /// What an add-on sends, alone, until a device asks who it is.
    static let sync: UInt8 = 0x55

    /// What it is for.
    public let kind: Kind
    /// What it carries.
    public let body: [UInt8]

    /// Creates a frame.
    ///
    /// - Parameters:
    ///   - kind: what it is for.
    ///   - body: what it carries, at most ``Kind/maximumBodyByteCount`` bytes.
    /// - Throws: ``SocketError`` with ``SocketError/Code/tooLong``.
    public init(_ kind: Kind, _ body: [UInt8] = []) throws(SocketError) {
        try self.init(kind, body, upTo: kind.maximumBodyByteCount)
    }

    /// A frame whose body may have so many bytes, at most as many as one of its kind.
    init(_ kind: Kind, _ body: [UInt8], upTo maximumByteCount: Int) throws(SocketError) {
        guard body.count <= maximumByteCount else {
            throw SocketError(
                .tooLong,
                "a message of \(body.count) bytes was not sent: one of kind \(kind) has at most "
                    + "\(maximumByteCount)"
            )
        }
        self.init(kind, checked: body)
    }

    /// A frame whose body is not too long.
    init(_ kind: Kind, checked body: [UInt8]) {
        self.kind = kind
        self.body = body
    }

    /// The frame as it travels.
    public var bytes: [UInt8] {
        var bytes = [Self.start, kind.rawValue, UInt8(truncatingIfNeeded: body.count)]
        if kind.lengthByteCount == 2 { bytes.append(UInt8(truncatingIfNeeded: body.count >> 8)) }
        bytes += body
        let checksum = GeotabChecksum(bytes)
        return bytes + [checksum.first, checksum.second, Self.end]
    }
}

extension GeotabFrame.Kind: CustomStringConvertible {
    /// The byte, such as `0x88`.
    public var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        return "0x" + (digits.count < 2 ? "0" : "") + digits
    }
}
