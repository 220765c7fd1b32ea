/// A part of a message of a session, as one value of a characteristic carries it.
struct Packet: Hashable, Sendable {
    /// Whether the message ends with it.
    let isLast: Bool
    let bytes: [UInt8]
}

/// Puts the messages of a session together.
struct PacketAssembly: Sendable {
    /// How many bytes a message has at most.
    static let maximumByteCount = Record.maximumByteCount + SecureSession.overheadByteCount

    private var bytes: [UInt8] = []

    /// Takes the next packet.
    ///
    /// - Returns: the message, when it is whole.
    /// - Throws: ``ProtocolViolation``.
    mutating func receive(_ packet: Packet) throws(ProtocolViolation) -> [UInt8]? {
        guard bytes.count + packet.bytes.count <= Self.maximumByteCount else {
            throw ProtocolViolation("a message of more than \(Self.maximumByteCount) bytes")
        }
        guard packet.isLast || !packet.bytes.isEmpty else {
            throw ProtocolViolation("an empty packet")
        }
        bytes += packet.bytes
        guard packet.isLast else { return nil }
        defer { bytes = [] }
        return bytes
    }
}
