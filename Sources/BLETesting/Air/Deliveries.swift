internal import BLE

/// What is on its way, and what of that arrives next.
///
/// A value: what travels the same way in the same channel keeps its order; of different channels a seed
/// decides, or without one who was first.
struct Deliveries {
    /// What keeps its order.
    struct Channel: Hashable {
        enum Kind: UInt64 {
            case advertising, connection
        }

        let route: Route
        let kind: Kind
    }

    enum Content: Sendable {
        /// An advertisement; for one scan, or for all.
        case sighting(Advertisement, scan: Int?)
        /// An attempt to connect.
        case connect(Int)
        /// A packet of a connection.
        case packet(Int, Packet)
    }

    struct Delivery {
        let route: Route
        let content: Content
        /// Kept when it has arrived, or has been lost.
        let arrival: Promise<Void>?
        fileprivate let rank: UInt64
        fileprivate let number: Int
    }

    private let seed: UInt64?
    private var queues: [Channel: [Delivery]] = [:]
    private var counts: [Channel: UInt64] = [:]
    private var lastNumber = 0

    init(seed: UInt64?) {
        self.seed = seed
    }

    func count(in channel: Channel) -> Int { queues[channel]?.count ?? 0 }

    mutating func add(_ content: Content, to channel: Channel, _ arrival: Promise<Void>?) {
        lastNumber += 1
        let count = counts[channel, default: 0]
        counts[channel] = count + 1
        let delivery = Delivery(
            route: channel.route,
            content: content,
            arrival: arrival,
            rank: seed.map { Self.rank(of: count, in: channel, seed: $0) } ?? 0,
            number: lastNumber
        )
        queues[channel, default: []].append(delivery)
    }

    /// Takes out what arrives next.
    mutating func next() -> Delivery? {
        let heads = queues.compactMap { channel, queue in queue.first.map { (channel, $0) } }
        let next = heads.min { ($0.1.rank, $0.1.number) < ($1.1.rank, $1.1.number) }
        guard let (channel, delivery) = next else { return nil }
        queues[channel]?.removeFirst()
        if queues[channel]?.isEmpty == true { queues[channel] = nil }
        return delivery
    }

    /// Loses the packets of a connection.
    mutating func removeAll(of connection: Int, on route: Route) {
        let channel = Channel(route: route, kind: .connection)
        queues[channel]?.removeAll { delivery in
            guard case .packet(connection, _) = delivery.content else { return false }
            delivery.arrival?.fulfil()
            return true
        }
        if queues[channel]?.isEmpty == true { queues[channel] = nil }
    }

    /// The same for the same seed, whatever else is on its way, and in each process.
    private static func rank(of count: UInt64, in channel: Channel, seed: UInt64) -> UInt64 {
        var hash = seed ^ channel.kind.rawValue << 32
        let names = [channel.route.from.rawValue, channel.route.to.rawValue].joined(separator: "\0")
        // FNV-1a.
        for byte in names.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        var generator = SeededGenerator(seed: hash &+ count &* 0x9FB2_1C65_1E98_DF25)
        return generator.next()
    }
}
