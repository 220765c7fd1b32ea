internal import NoiseProtocol

/// A caller's session: what it writes and when it reads.
///
/// It does one thing after the other. What is read stays there until the next write has confirmed it, so that a reply
/// that is lost, or read by another program of this device, is read again.
struct CallerSession: Sendable {
    /// What is to be done next.
    enum Operation: Hashable, Sendable {
        case write([UInt8])
        case read
    }

    private let id: UInt16
    private var session: SecureSession
    private var isFirst = true
    /// The value that was read last, and whether it is to be confirmed.
    private var number: UInt8 = 0
    private var mustConfirm = false
    /// Whether the callee has something to be read.
    private var mustRead = false
    private var hasWrittenLast = false

    /// Creates a session in which nothing was said.
    ///
    /// - Parameters:
    ///   - id: a random number, so that programs of one device are told apart.
    ///   - key: who this end is.
    ///   - name: what it is called.
    init(id: UInt16, key: IdentityKey, name: String) {
        self.id = id
        session = SecureSession(as: .initiator, key: key, name: name)
    }

    /// Whether records can be sent.
    var isEstablished: Bool { session.isEstablished }

    /// The callee says that there is something to read; to be called now and then without it, too.
    mutating func wasNotified() { mustRead = true }

    /// What is to be done when what was done before has succeeded.
    ///
    /// - Parameters:
    ///   - byteCount: how many bytes a write has at most: the MTU - 3.
    ///   - conversation: gives what is to be sent, once the callee is known.
    /// - Returns: what is to be done; `nil` for nothing.
    /// - Throws: ``ProtocolViolation``: the session is over.
    mutating func nextOperation(
        upTo byteCount: Int,
        _ conversation: inout Conversation?
    ) throws(ProtocolViolation) -> Operation? {
        // Turn about, so that neither direction keeps the other one waiting.
        if mustRead, !mustConfirm, hasWrittenLast { return read() }
        let room = min(byteCount, SessionValue.maximumByteCount) - SessionValue.headerByteCount
        let packet = try session.nextPacket(upTo: room, &conversation)
        guard packet != nil || mustConfirm else { return mustRead ? read() : nil }
        var value = SessionValue(session: id, number: number, packet: packet)
        value.isFirst = isFirst
        isFirst = false
        mustConfirm = false
        hasWrittenLast = true
        return .write(value.encoded)
    }

    private mutating func read() -> Operation {
        mustRead = false
        hasWrittenLast = false
        return .read
    }

    /// Takes what was read.
    ///
    /// - Returns: what it has brought.
    /// - Throws: ``ProtocolViolation``: the session is over.
    mutating func receive(_ bytes: [UInt8]) throws(ProtocolViolation) -> SecureSession.Event? {
        guard !bytes.isEmpty else { return nil }
        guard let value = SessionValue(bytes) else {
            throw ProtocolViolation("\(bytes.count) bytes that are no value of a session")
        }
        // It is told to every program of this device.
        if value.hasMore || value.session != id { mustRead = true }
        guard value.session == id else { return nil }
        mustConfirm = true
        guard value.number != number else { return nil }
        guard value.number == Self.number(after: number) else {
            throw ProtocolViolation("value \(value.number) came after value \(number)")
        }
        number = value.number
        return try value.packet.flatMap { packet throws(ProtocolViolation) in
            try session.receive(packet)
        }
    }

    /// The numbers go round without 0.
    static func number(after number: UInt8) -> UInt8 { number == 255 ? 1 : number + 1 }
}
