internal import NoiseProtocol

/// A callee's session: what its caller has written, and what it is to read.
struct CalleeSession: Sendable {
    private let id: UInt16
    private var session: SecureSession
    /// The value that was read, perhaps, and is not confirmed.
    private var unconfirmed: SessionValue?
    private var confirmed: UInt8 = 0

    /// Creates a session in which nothing was said.
    ///
    /// - Parameters:
    ///   - id: the number that the caller has chosen.
    ///   - key: who this end is.
    ///   - name: what it is called.
    init(id: UInt16, key: IdentityKey, name: String) {
        self.id = id
        session = SecureSession(as: .responder, key: key, name: name)
    }

    /// Whether records can be sent.
    var isEstablished: Bool { session.isEstablished }

    /// Takes what the caller has written.
    ///
    /// - Returns: what it has brought.
    /// - Throws: ``ProtocolViolation``: the session is over.
    mutating func receive(
        _ value: SessionValue
    ) throws(ProtocolViolation) -> SecureSession.Event? {
        if value.number == unconfirmed?.number {
            confirmed = value.number
            unconfirmed = nil
        } else if value.number != confirmed {
            throw ProtocolViolation("value \(value.number) was confirmed and never read")
        }
        return try value.packet.flatMap { packet throws(ProtocolViolation) in
            try session.receive(packet)
        }
    }

    /// Whether there is something to read.
    func hasValue(_ conversation: Conversation?) -> Bool {
        unconfirmed != nil || session.hasPacket(conversation)
    }

    /// What is to be read: the same until it is confirmed.
    ///
    /// - Parameters:
    ///   - byteCount: how many bytes a new one has at most: the MTU - 1.
    ///   - conversation: gives what is to be sent, once the caller is known.
    /// - Returns: the value; empty when there is nothing to read.
    /// - Throws: ``ProtocolViolation``: the session is over.
    mutating func value(
        upTo byteCount: Int,
        _ conversation: inout Conversation?
    ) throws(ProtocolViolation) -> [UInt8] {
        if let unconfirmed { return unconfirmed.encoded }
        let room = min(byteCount, SessionValue.maximumByteCount) - SessionValue.headerByteCount
        guard let packet = try session.nextPacket(upTo: room, &conversation) else { return [] }
        let number = CallerSession.number(after: confirmed)
        var value = SessionValue(session: id, number: number, packet: packet)
        value.hasMore = session.hasPacket(conversation)
        unconfirmed = value
        return value.encoded
    }
}
