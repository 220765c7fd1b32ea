internal import DequeModule

/// Packets for neighbours who come later.
struct PacketQueue: Sendable {
    struct Entry: Sendable {
        let packet: WirePacket
        /// `nil` for what this node has made.
        let source: NeighbourID?
        let time: Duration
    }

    private let maximumCount: Int
    private let lifetime: Duration
    private(set) var entries: Deque<Entry> = []

    init(maximumCount: Int, lifetime: Duration) {
        self.maximumCount = maximumCount
        self.lifetime = lifetime
    }

    /// Drops what is older than it may be.
    mutating func expire(at now: Duration) {
        while let first = entries.first, now - first.time >= lifetime { entries.removeFirst() }
    }

    /// Keeps a packet, in place of the oldest of others when there is no room, or else, for one of this node, of its own.
    ///
    /// - Returns: whether it is kept.
    mutating func add(_ entry: Entry) -> Bool {
        if entries.count == maximumCount {
            if let oldest = entries.firstIndex(where: { $0.source != nil }) {
                entries.remove(at: oldest)
            } else {
                guard entry.source == nil else { return false }
                entries.removeFirst()
            }
        }
        entries.append(entry)
        return true
    }

    /// Drops a message whose receiver has it.
    mutating func remove(_ id: Int32, from sender: String, to receiver: String) {
        entries.removeAll {
            let packet = $0.packet.packet
            return packet.id == id && packet.sender == sender && packet.receiver == receiver
        }
    }
}
