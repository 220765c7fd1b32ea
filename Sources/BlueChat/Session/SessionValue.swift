/// What a caller writes, and what is read by it: values of the two characteristics that only ours have.
///
/// Source: Docs/Wire.md, BlueChat between ours.
struct SessionValue: Hashable, Sendable {
    /// How many bytes a value has before its packet.
    static let headerByteCount = 4
    /// How many bytes a value has at most: bluetoothd 5.66 loses values of 511 and 512.
    static let maximumByteCount = 510

    /// Which session of the device: several programs on one device are one central.
    var session: UInt16
    /// The callee's number of this value, 1 to 255; from the caller, that of the last one that it has read, 0 for none.
    var number: UInt8
    var packet: Packet?
    /// From the caller: the session begins.
    var isFirst = false
    /// From the callee: another value waits.
    var hasMore = false

    private enum Flag {
        static let packet: UInt8 = 1
        static let lastPacket: UInt8 = 2
        static let first: UInt8 = 4
        static let more: UInt8 = 8
    }

    init(session: UInt16, number: UInt8, packet: Packet? = nil) {
        self.session = session
        self.number = number
        self.packet = packet
    }

    /// Session, number, flags, packet.
    var encoded: [UInt8] {
        var flags: UInt8 = 0
        if let packet { flags |= Flag.packet | (packet.isLast ? Flag.lastPacket : 0) }
        if isFirst { flags |= Flag.first }
        if hasMore { flags |= Flag.more }
        return session.littleEndianBytes + [number, flags] + (packet?.bytes ?? [])
    }

    /// Reads a value; `nil` if it is none.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headerByteCount else { return nil }
        session = UInt16(littleEndianBytes: bytes[..<2])
        number = bytes[2]
        let flags = bytes[3]
        if flags & Flag.packet != 0 {
            packet = Packet(isLast: flags & Flag.lastPacket != 0, bytes: Array(bytes[4...]))
        } else if bytes.count > Self.headerByteCount {
            return nil
        }
        isFirst = flags & Flag.first != 0
        hasMore = flags & Flag.more != 0
    }
}
