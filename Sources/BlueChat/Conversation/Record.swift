/// What two ends of a conversation tell each other, encrypted, one after the other.
///
/// Source: Docs/Wire.md, BlueChat between ours.
enum Record: Hashable, Sendable {
    /// A message begins: how many bytes it has, and the first of them.
    case begin(MessageID, byteCount: Int, [UInt8])
    /// The next bytes of the message that has begun.
    case more([UInt8])
    /// A message has arrived, and is kept.
    case delivered(MessageID)
    /// A message has arrived that cannot be taken: it is not to be sent again.
    case refused(MessageID)
    /// A message, and all before, have been read.
    case read(MessageID)
    /// Somebody types, or has stopped.
    case typing(Bool)
    /// The name of who sends it.
    case name(String)
    /// Who sends it leaves.
    case leave
    /// Of a later version.
    case unknown(UInt8)

    /// How many bytes of a message are in one record.
    static let maximumPartByteCount = 4_096
    /// How many bytes a record has at most.
    static let maximumByteCount = 1 + MessageID.byteCount + 4 + maximumPartByteCount

    private enum Kind: UInt8 {
        case begin = 1
        case more, delivered, refused, read, typing, name, leave
    }

    /// The bytes to encrypt.
    var encoded: [UInt8] {
        switch self {
        case .begin(let id, let count, let bytes):
            [Kind.begin.rawValue] + id.bytes + UInt32(count).littleEndianBytes + bytes
        case .more(let bytes): [Kind.more.rawValue] + bytes
        case .delivered(let id): [Kind.delivered.rawValue] + id.bytes
        case .refused(let id): [Kind.refused.rawValue] + id.bytes
        case .read(let id): [Kind.read.rawValue] + id.bytes
        case .typing(let isTyping): [Kind.typing.rawValue, isTyping ? 1 : 0]
        case .name(let name): [Kind.name.rawValue] + Array(name.utf8)
        case .leave: [Kind.leave.rawValue]
        case .unknown(let kind): [kind]
        }
    }

    /// Reads a record.
    ///
    /// - Throws: ``ProtocolViolation``.
    init(_ bytes: [UInt8]) throws(ProtocolViolation) {
        guard let first = bytes.first else { throw ProtocolViolation("an empty record") }
        guard bytes.count <= Self.maximumByteCount else {
            throw ProtocolViolation("a record of \(bytes.count) bytes")
        }
        let rest = bytes.dropFirst()
        switch Kind(rawValue: first) {
        case .begin:
            guard let id = MessageID(rest.prefix(16)), rest.count >= 20 else {
                throw ProtocolViolation("a message without a beginning")
            }
            let count = UInt32(littleEndianBytes: rest.dropFirst(16).prefix(4))
            self = .begin(id, byteCount: Int(count), Array(rest.dropFirst(20)))
        case .more: self = .more(Array(rest))
        case .delivered: self = .delivered(try Self.id(rest))
        case .refused: self = .refused(try Self.id(rest))
        case .read: self = .read(try Self.id(rest))
        case .typing:
            guard rest.count == 1 else { throw ProtocolViolation("a state of typing without one") }
            self = .typing(rest.first != 0)
        case .name:
            guard let name = String(validating: rest, as: UTF8.self) else {
                throw ProtocolViolation("a name that is no UTF-8")
            }
            self = .name(name)
        case .leave: self = .leave
        case nil: self = .unknown(first)
        }
    }

    private static func id(_ bytes: ArraySlice<UInt8>) throws(ProtocolViolation) -> MessageID {
        guard let id = MessageID(bytes) else {
            throw ProtocolViolation("a receipt of \(bytes.count) bytes")
        }
        return id
    }
}

/// The other end said what it must not say: its session is over.
struct ProtocolViolation: Error, Hashable, CustomStringConvertible {
    /// What came.
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
