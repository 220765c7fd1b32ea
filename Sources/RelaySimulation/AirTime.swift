/// How long a radio sends.
enum AirTime {
    /// How many bytes of an ATT packet a link-layer packet carries, with data length extension.
    ///
    /// Source: Core specification, Vol 6, Part B, 4.5.10.
    static let payloadByteCount = 251
    /// L2CAP's and ATT's headers of a notification.
    static let headerByteCount = 4 + 3
    /// Preamble, access address, header and CRC on LE 1M.
    ///
    /// Source: Core specification, Vol 6, Part B, 2.1.
    private static let overheadByteCount = 1 + 4 + 2 + 3
    /// The other end's empty packet, and two pauses between frames of 150 µs.
    private static let replyMicroseconds = overheadByteCount * 8 + 2 * 150

    /// How many link-layer packets a notification has.
    static func packetCount(of byteCount: Int) -> Int {
        (byteCount + headerByteCount + payloadByteCount - 1) / payloadByteCount
    }

    /// Of a notification, without what is sent again.
    static func microseconds(of byteCount: Int) -> Int64 {
        let count = packetCount(of: byteCount)
        let bytes = byteCount + headerByteCount + count * overheadByteCount
        return Int64(bytes * 8 + count * replyMicroseconds)
    }
}
