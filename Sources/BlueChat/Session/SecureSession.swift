internal import NoiseProtocol

/// One end of an encrypted session over one connection, on which nothing is lost or comes out of order.
///
/// The caller begins the handshake. After it both ends know each other's key, and records travel.
struct SecureSession: Sendable {
    /// What a message has brought.
    enum Event: Hashable, Sendable {
        /// The other end has shown that it has this key, and says its name.
        case established(PublicKey, name: String)
        case record(Record)
    }

    /// How many bytes a message has beside its record.
    static let overheadByteCount = Transport.overheadByteCount
    /// How many bytes of a name are sent at most.
    static let maximumNameByteCount = 64
    private static let prologue = Array("BlueChat 1".utf8)

    private var handshake: Handshake
    private var transport: Transport?
    private let name: [UInt8]
    private var assembly = PacketAssembly()
    /// What is left of the message that is being sent.
    private var outgoing: ArraySlice<UInt8>?

    /// Creates a session in which nothing was said.
    ///
    /// - Parameters:
    ///   - role: the initiator is who called.
    ///   - key: who this end is.
    ///   - name: what it is called, at most ``maximumNameByteCount`` bytes of UTF-8.
    init(as role: Handshake.Role, key: IdentityKey, name: String) {
        handshake = Handshake(as: role, with: key, prologue: Self.prologue)
        precondition(name.utf8.count <= Self.maximumNameByteCount)
        self.name = Array(name.utf8)
    }

    /// Whether both ends know each other, and records can be sent.
    var isEstablished: Bool { transport != nil }

    /// Whether there is something to send.
    func hasPacket(_ conversation: Conversation?) -> Bool {
        guard outgoing == nil else { return true }
        return handshake.isFinished
            ? conversation?.hasRecord == true : handshake.isTurnToWrite
    }

    /// Makes the next packet.
    ///
    /// - Parameters:
    ///   - byteCount: how many bytes it may have, 1 or more.
    ///   - conversation: gives the next record, when the message before has been sent.
    /// - Returns: the packet; `nil` when there is nothing to send.
    /// - Throws: ``ProtocolViolation``: the session is over.
    mutating func nextPacket(
        upTo byteCount: Int,
        _ conversation: inout Conversation?
    ) throws(ProtocolViolation) -> Packet? {
        if outgoing == nil { outgoing = try nextMessage(&conversation)?[...] }
        guard let message = outgoing else { return nil }
        let packet = Packet(
            isLast: message.count <= byteCount,
            bytes: Array(message.prefix(byteCount))
        )
        outgoing = packet.isLast ? nil : message.dropFirst(byteCount)
        return packet
    }

    private mutating func nextMessage(
        _ conversation: inout Conversation?
    ) throws(ProtocolViolation) -> [UInt8]? {
        do {
            guard handshake.isFinished else {
                guard handshake.isTurnToWrite else { return nil }
                // Nobody has shown a key yet when the first message is written.
                let isFirst = handshake.role == .initiator && handshake.remoteStaticKey == nil
                let message = try handshake.write(isFirst ? [] : name)
                if handshake.isFinished { transport = try handshake.split() }
                return message
            }
            guard let record = conversation?.nextRecord() else { return nil }
            return try transport?.seal(record.encoded)
        } catch {
            throw ProtocolViolation("\(error)")
        }
    }

    /// Takes a packet.
    ///
    /// - Returns: what it has brought.
    /// - Throws: ``ProtocolViolation``: the session is over.
    mutating func receive(_ packet: Packet) throws(ProtocolViolation) -> Event? {
        guard let message = try assembly.receive(packet) else { return nil }
        do {
            guard handshake.isFinished else {
                let payload = try handshake.read(message)
                guard let key = handshake.remoteStaticKey else { return nil }
                if handshake.isFinished { transport = try handshake.split() }
                guard payload.count <= Self.maximumNameByteCount,
                    let name = String(validating: payload, as: UTF8.self)
                else { throw ProtocolViolation("\(payload.count) bytes that are no name") }
                return .established(key, name: name)
            }
            guard let bytes = try transport?.open(message) else { return nil }
            return .record(try Record(bytes))
        } catch let error as ProtocolViolation {
            throw error
        } catch {
            throw ProtocolViolation("\(error)")
        }
    }
}
