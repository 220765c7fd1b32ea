/// What the receiver of messages tells their sender, in plain text: anybody on the way can read it, and forge it.
public enum RelayReceipt: Hashable, Sendable {
    /// A message has come: `ACK/305419896`.
    case received(Int32)
    /// Messages have been read: `READ/305419896/7/`. The slash at the end is needed: apps leave out what follows the last one.
    case read([Int32])

    /// Reads a receipt.
    ///
    /// - Parameter packet: its kind says what its text is.
    /// - Throws: ``MalformedPacket``: it is no receipt, or not one that an app could have sent.
    public init(_ packet: RelayPacket) throws(MalformedPacket) {
        var parts = packet.text.split(separator: "/", omittingEmptySubsequences: false)[...]
        switch (packet.kind, parts.popFirst()) {
        case (.acknowledgement, "ACK"):
            guard parts.count == 1 else { throw MalformedPacket("an ACK has one id") }
            self = .received(try Self.id(parts[parts.startIndex]))
        case (.read, "READ"):
            if parts.last == "" { parts.removeLast() }
            guard !parts.isEmpty else { throw MalformedPacket("a READ has no id") }
            var ids: [Int32] = []
            for part in parts { ids.append(try Self.id(part)) }
            self = .read(ids)
        case (.acknowledgement, _), (.read, _):
            throw MalformedPacket("a receipt of another kind than its packet")
        case (.message, _), (.position, _):
            throw MalformedPacket("no receipt")
        }
    }

    /// What it is in a packet.
    public var kind: RelayPacket.Kind {
        switch self {
        case .received: .acknowledgement
        case .read: .read
        }
    }

    /// The text of a packet.
    public var text: String {
        switch self {
        case .received(let id): "ACK/\(id)"
        case .read(let ids): "READ/" + ids.map { "\($0)/" }.joined()
        }
    }

    private static func id(_ digits: Substring) throws(MalformedPacket) -> Int32 {
        // Neither signs nor leading zeros, which the same id might have.
        guard let id = Int32(digits), id >= 0, "\(id)" == digits else {
            throw MalformedPacket("an id of a receipt is no number from 0 to 2147483647")
        }
        return id
    }
}
