// The bytes of a message. Source: Docs/Wire.md, BlueChat between ours.
extension ChatMessage {
    private enum Kind: UInt8 {
        case text = 1
        case file, edit, deletion
    }

    /// How many bytes a message has at most.
    static let maximumByteCount =
        9 + 1 + ChatFile.maximumNameByteCount + ChatFile.maximumByteCount

    /// Kind, time, and what the kind has.
    var encoded: [UInt8] {
        let (kind, rest): (Kind, [UInt8]) =
            switch content {
            case .text(let text): (.text, Array(text.utf8))
            case .file(let file):
                (.file, [UInt8(file.name.utf8.count)] + Array(file.name.utf8) + file.bytes)
            case .edit(let target, let text): (.edit, target.bytes + Array(text.utf8))
            case .deletion(let target): (.deletion, target.bytes)
            }
        return [kind.rawValue] + UInt64(bitPattern: time).littleEndianBytes + rest
    }

    /// Reads a message.
    ///
    /// - Throws: ``ChatError`` with ``ChatError/Code/invalidText``, or as ``init(_:time:id:)`` does.
    init(id: MessageID, _ bytes: [UInt8]) throws(ChatError) {
        guard bytes.count >= 9, let kind = Kind(rawValue: bytes[0]) else {
            throw ChatError(.invalidText, "\(bytes.count) bytes that are no message")
        }
        let time = Int64(bitPattern: UInt64(littleEndianBytes: bytes[1..<9]))
        let rest = bytes[9...]
        let content: Content
        switch kind {
        case .text:
            content = .text(try Self.text(rest))
        case .file:
            guard let count = rest.first.map(Int.init), rest.count > count else {
                throw ChatError(.invalidText, "a file whose name is cut")
            }
            let name = rest.dropFirst().prefix(count)
            content = .file(
                try ChatFile(
                    name: try Self.text(name),
                    bytes: Array(rest.dropFirst(1 + count))
                )
            )
        case .edit, .deletion:
            guard let target = MessageID(rest.prefix(MessageID.byteCount)) else {
                throw ChatError(.invalidText, "a change of a message that is not named")
            }
            let text = rest.dropFirst(MessageID.byteCount)
            guard kind == .edit || text.isEmpty else {
                throw ChatError(.invalidText, "a deletion with \(text.count) bytes too many")
            }
            content = kind == .edit ? .edit(target, text: try Self.text(text)) : .deletion(target)
        }
        try self.init(content, time: time, id: id)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(ChatError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ChatError(.invalidText, "\(bytes.count) bytes that are no UTF-8")
        }
        return text
    }
}

extension FixedWidthInteger {
    /// The lowest byte first.
    var littleEndianBytes: [UInt8] {
        (0..<(Self.bitWidth / 8)).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }

    /// Of bytes with the lowest first.
    init(littleEndianBytes bytes: some BidirectionalCollection<UInt8>) {
        self = bytes.reversed().reduce(0) { $0 << 8 | Self($1) }
    }
}
