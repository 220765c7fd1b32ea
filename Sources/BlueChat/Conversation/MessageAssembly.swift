/// Puts the messages together that come over a session, one at a time.
struct MessageAssembly: Sendable {
    /// A message, as far as it has come.
    struct Message: Sendable {
        let id: MessageID
        let byteCount: Int
        fileprivate(set) var bytes: [UInt8] = []
    }

    private var message: Message?

    /// Takes a part; other records have none.
    ///
    /// - Returns: the message, when it is whole.
    /// - Throws: ``ProtocolViolation``: the session is to be ended.
    mutating func receive(_ record: Record) throws(ProtocolViolation) -> Message? {
        switch record {
        case .begin(let id, let count, let bytes):
            guard (1...ChatMessage.maximumByteCount).contains(count) else {
                throw ProtocolViolation("a message of \(count) bytes")
            }
            message = Message(id: id, byteCount: count)
            return try receive(bytes)
        case .more(let bytes):
            guard !bytes.isEmpty else { throw ProtocolViolation("an empty part of a message") }
            return try receive(bytes)
        default: return nil
        }
    }

    private mutating func receive(_ bytes: [UInt8]) throws(ProtocolViolation) -> Message? {
        guard let begun = message else {
            throw ProtocolViolation("a part of a message that has not begun")
        }
        guard begun.bytes.count + bytes.count <= begun.byteCount else {
            throw ProtocolViolation("a message with more bytes than it said")
        }
        message?.bytes += bytes
        guard let whole = message, whole.bytes.count == whole.byteCount else { return nil }
        message = nil
        return whole
    }
}
