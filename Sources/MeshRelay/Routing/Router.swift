/// Which neighbour of a node: a number for each connection's other end.
package struct NeighbourID: Hashable, Sendable {
    package let number: Int

    package init(_ number: Int) {
        self.number = number
    }
}

/// Which packets a node sends on, keeps and drops, as the app does, and within limits.
///
/// It has neither a clock nor a radio: `now` is the time since some moment, and never goes back.
package struct Router: Sendable {
    /// What happens to a node.
    package enum Event: Sendable {
        /// A neighbour hears this node from now on.
        case joined(NeighbourID)
        /// A neighbour does not any more.
        case left(NeighbourID)
        /// A neighbour has sent something.
        case received([UInt8], from: NeighbourID)
        /// The same, read already.
        case receivedPacket(WirePacket, from: NeighbourID)
        /// This node has made a packet.
        case originated(RelayPacket)
    }

    /// What is to be done.
    package enum Effect: Hashable, Sendable {
        /// A value is to be sent to neighbours. One that gets it without being meant knows it, or sends it on.
        case send(WirePacket, to: [NeighbourID])
        /// A packet is meant for this node.
        case deliver(RelayPacket, from: NeighbourID)
        /// What a neighbour has sent is dropped.
        case drop(RelayCounters.DropReason, from: NeighbourID)
    }

    /// A sender and one of its numbers: two senders may choose the same.
    private struct PacketID: Hashable {
        let sender: String
        let id: Int32
    }

    /// A packet among those that claim the same sender and number.
    private struct SeenID: Hashable {
        let packet: PacketID
        let digest: Int

        init(_ packet: WirePacket) {
            self.packet = PacketID(sender: packet.packet.sender, id: packet.packet.id)
            digest = packet.digest
        }
    }

    /// A sender as one neighbour names it: anybody can use an address, and must not use it up for what comes another way.
    private struct Source: Hashable {
        let neighbour: NeighbourID
        let sender: String
    }

    private let address: RelayAddress
    private let generation: RelayGeneration
    private var neighbours: [NeighbourID] = []
    private var seen: BoundedMemory<SeenID, Void>
    /// From whom a message came; `nil` when several claim to be it.
    private var routes: BoundedMemory<PacketID, NeighbourID?>
    private var queue: PacketQueue
    private var neighbourRates: RateLimit<NeighbourID>
    private var senderRates: RateLimit<Source>
    package private(set) var counters = RelayCounters()

    /// - Parameters:
    ///   - address: this node's.
    ///   - generation: which apps are to read what it makes.
    ///   - limits: how much it remembers, keeps and takes.
    package init(
        address: RelayAddress,
        generation: RelayGeneration,
        limits: RelayLimits = RelayLimits()
    ) {
        self.address = address
        self.generation = generation
        seen = BoundedMemory(maximumCount: limits.seenCount, lifetime: limits.seenTime)
        routes = BoundedMemory(maximumCount: limits.routeCount, lifetime: limits.seenTime)
        queue = PacketQueue(maximumCount: limits.queueCount, lifetime: limits.queueTime)
        neighbourRates = RateLimit(
            limits.neighbourRate,
            within: limits.rateTime,
            of: limits.rateCount
        )
        senderRates = RateLimit(limits.senderRate, within: limits.rateTime, of: limits.rateCount)
    }

    /// How many packets are kept for neighbours who come later, as of the last event.
    package var queuedCount: Int { queue.entries.count }

    /// How much is remembered of earlier packets and who has sent them.
    var rememberedCount: Int {
        seen.count + routes.count + neighbourRates.keyCount + senderRates.keyCount
    }

    /// Takes an event.
    ///
    /// - Parameters:
    ///   - event: what happens.
    ///   - now: when.
    ///   - isGenuine: whether a packet for this node is a message of a contact; asked only when its neighbour sends too much.
    /// - Returns: what is to be done, in order.
    package mutating func handle(
        _ event: Event,
        at now: Duration,
        isGenuine: (RelayPacket) -> Bool = { _ in false }
    ) -> [Effect] {
        expire(at: now)
        switch event {
        case .joined(let neighbour): return join(neighbour)
        case .left(let neighbour):
            neighbours.removeAll { $0 == neighbour }
            return []
        case .received(let bytes, let neighbour):
            guard let packet = try? WirePacket(bytes) else {
                counters.received += 1
                return drop(.malformed, from: neighbour)
            }
            return receive(packet, from: neighbour, at: now, isGenuine)
        case .receivedPacket(let packet, let neighbour):
            return receive(packet, from: neighbour, at: now, isGenuine)
        case .originated(let packet):
            counters.originated += 1
            // One that is sent anew is kept once.
            queue.remove(packet.id, from: packet.sender, to: packet.receiver)
            let packet = WirePacket(packet, for: generation)
            _ = seen.insert((), for: SeenID(packet), at: now)
            return send(packet, from: nil, at: now) ?? []
        }
    }

    /// Forgets what is older than it may be, as with each event.
    mutating func expire(at now: Duration) {
        queue.expire(at: now)
        seen.forget(at: now)
        routes.forget(at: now)
    }

    /// Takes a packet as new when it comes again.
    ///
    /// - Parameter packet: one with which nothing could be done.
    mutating func forget(_ packet: RelayPacket) {
        let packet = WirePacket(packet, for: generation)
        seen.remove(SeenID(packet))
        routes.remove(SeenID(packet).packet)
    }

    private mutating func join(_ neighbour: NeighbourID) -> [Effect] {
        guard !neighbours.contains(neighbour) else { return [] }
        neighbours.append(neighbour)
        let kept = queue.entries.filter { $0.source != neighbour }
        counters.replayed += kept.count
        return kept.map { .send($0.packet, to: [neighbour]) }
    }

    private mutating func receive(
        _ wirePacket: WirePacket,
        from neighbour: NeighbourID,
        at now: Duration,
        _ isGenuine: (RelayPacket) -> Bool
    ) -> [Effect] {
        counters.received += 1
        let packet = wirePacket.packet
        let id = SeenID(wirePacket)
        // Whoever comes near sends much that is known: that costs little, and does not count.
        guard seen[id] == nil else { return drop(.known, from: neighbour) }
        // It may come from another neighbour, or when there is room for it again.
        if let reason = limit(neighbour, packet.sender, at: now) {
            guard packet.receiver == address.text, isGenuine(packet) else {
                return drop(reason, from: neighbour)
            }
        }
        _ = seen.insert((), for: id, at: now)
        // Whichever of two is true, its acknowledgement goes to all.
        if packet.kind == .message, !routes.insert(neighbour, for: id.packet, at: now) {
            routes.update(id.packet) { $0 = nil }
        }
        if case .received(let id)? = wirePacket.receipt {
            queue.remove(id, from: packet.receiver, to: packet.sender)
        }
        guard packet.receiver != address.text else {
            counters.delivered += 1
            return [.deliver(packet, from: neighbour)]
        }
        guard let effects = send(wirePacket, from: neighbour, at: now) else {
            forget(packet)
            return drop(.noRoom, from: neighbour)
        }
        counters.relayed += 1
        return effects
    }

    /// Why a neighbour may send no further packet now; one that is too many of its sender does not count as the neighbour's, so
    /// that who sends a flood on can send the others' packets, too.
    private mutating func limit(
        _ neighbour: NeighbourID,
        _ sender: String,
        at now: Duration
    ) -> RelayCounters.DropReason? {
        guard neighbourRates.allows(neighbour, at: now) else { return .neighbourRate }
        let source = Source(neighbour: neighbour, sender: sender)
        guard senderRates.take(source, at: now) else { return .senderRate }
        return neighbourRates.take(neighbour, at: now) ? nil : .neighbourRate
    }

    /// Sends a packet to all neighbours, or an acknowledgement the way that its message came; and keeps it.
    ///
    /// - Returns: what is to be done; `nil` when it is neither sent nor kept.
    private mutating func send(
        _ packet: WirePacket,
        from source: NeighbourID?,
        at now: Duration
    ) -> [Effect]? {
        let isKept = queue.add(PacketQueue.Entry(packet: packet, source: source, time: now))
        var receivers = neighbours.filter { $0 != source }
        if case .received(let id)? = packet.receipt,
            let route = routes[PacketID(sender: packet.packet.receiver, id: id)] ?? nil,
            receivers.contains(route)
        {
            receivers = [route]
        }
        guard receivers.isEmpty else { return [.send(packet, to: receivers)] }
        return isKept ? [] : nil
    }

    private mutating func drop(
        _ reason: RelayCounters.DropReason,
        from neighbour: NeighbourID
    ) -> [Effect] {
        counters.dropped[reason, default: 0] += 1
        return [.drop(reason, from: neighbour)]
    }
}
