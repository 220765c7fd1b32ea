internal import BLE

/// What is on its way, and what of that arrives next.
///
/// A value: what travels the same way in the same channel keeps its order, unless the conditions of its way say otherwise; of
/// different channels a seed decides, or without one who was first.
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
        /// When it arrives at the earliest.
        var due = Duration.zero
        /// How many may pass it still, when it waits for that.
        var passing = 0
        fileprivate let rank: UInt64
        fileprivate let number: Int
    }

    /// How many packets with a latency may be on one way before their senders wait for the arrival.
    static let maximumDelayedCount = 256

    /// How long a packet waits for others to pass it.
    static let overtakingLimit: Duration = .milliseconds(20)

    /// What becomes of what is sent.
    var conditions: [Route: LinkConditions] = [:]
    private let seed: UInt64?
    private var queues: [Channel: [Delivery]] = [:]
    private var counts: [Channel: UInt64] = [:]
    /// How many of each kind were sent on a way.
    private var chances: [Route: [Chance: UInt64]] = [:]
    /// What others may pass, of each channel.
    private var passed: [Channel: Delivery] = [:]
    /// When a way is free for the next packet.
    private var freeTimes: [Route: Duration] = [:]
    private var lastNumber = 0

    init(seed: UInt64?) {
        self.seed = seed
    }

    func count(in channel: Channel) -> Int {
        (queues[channel]?.count ?? 0) + (passed[channel] == nil ? 0 : 1)
    }

    /// Sends something.
    ///
    /// - Parameters:
    ///   - content: what it is.
    ///   - channel: with what it keeps its order.
    ///   - arrival: kept when it has arrived, or at once where nobody is to wait for that.
    ///   - now: the time.
    mutating func add(
        _ content: Content,
        to channel: Channel,
        _ arrival: Promise<Void>?,
        at now: Duration = .zero
    ) {
        lastNumber += 1
        let count = counts[channel, default: 0]
        counts[channel] = count + 1
        var delivery = Delivery(
            route: channel.route,
            content: content,
            arrival: arrival,
            rank: seed.map { Self.rank(of: count, in: channel, seed: $0) } ?? 0,
            number: lastNumber
        )
        guard let conditions = conditions[channel.route] else {
            queues[channel, default: []].append(delivery)
            return
        }
        guard !isLost(content, conditions, channel.route) else {
            arrival?.fulfil()
            return
        }
        if conditions.isDelayed, self.count(in: channel) < Self.maximumDelayedCount {
            arrival?.fulfil()
        }
        delivery.due = due(of: content, conditions, channel.route, at: now)
        let isDoubled = isDoubled(content, conditions, channel.route)
        for _ in 0..<(isDoubled ? 2 : 1) { enqueue(delivery, in: channel, conditions, at: now) }
    }

    private mutating func enqueue(
        _ delivery: Delivery,
        in channel: Channel,
        _ conditions: LinkConditions,
        at now: Duration
    ) {
        guard conditions.overtakingCount > 1, delivery.content.mayBePassed else {
            release(channel)
            queues[channel, default: []].append(delivery)
            return
        }
        if var waiting = passed[channel] {
            queues[channel, default: []].append(delivery)
            waiting.passing -= 1
            passed[channel] = waiting
            if waiting.passing == 0 { release(channel) }
            return
        }
        let most = UInt64(conditions.overtakingCount - 1)
        let passing = Int(draw(.overtaking, channel.route) % (most + 1))
        guard passing > 0 else {
            queues[channel, default: []].append(delivery)
            return
        }
        delivery.arrival?.fulfil()
        var waiting = delivery
        waiting.passing = passing
        waiting.due = max(delivery.due, now + Self.overtakingLimit)
        passed[channel] = waiting
    }

    /// Lets what others may pass travel behind what has been sent by now.
    private mutating func release(_ channel: Channel) {
        guard var waiting = passed.removeValue(forKey: channel) else { return }
        waiting.due = queues[channel]?.last?.due ?? .zero
        queues[channel, default: []].append(waiting)
    }

    /// Takes out what arrives next.
    mutating func next(at now: Duration = .zero) -> Delivery? {
        for (channel, waiting) in passed where waiting.due <= now { release(channel) }
        let heads = queues.compactMap { channel, queue in queue.first.map { (channel, $0) } }
            .filter { $0.1.due <= now }
        let next = heads.min {
            ($0.1.due, $0.1.rank, $0.1.number) < ($1.1.due, $1.1.rank, $1.1.number)
        }
        guard let (channel, delivery) = next else { return nil }
        queues[channel]?.removeFirst()
        if queues[channel]?.isEmpty == true { queues[channel] = nil }
        return delivery
    }

    /// When something arrives next; `nil` when nothing is on its way.
    var nextDue: Duration? {
        (queues.values.compactMap(\.first) + passed.values).map(\.due).min()
    }

    /// Loses the packets of a connection.
    mutating func removeAll(of connection: Int, on route: Route) {
        let channel = Channel(route: route, kind: .connection)
        if let waiting = passed[channel], case .packet(connection, _) = waiting.content {
            passed[channel] = nil
        }
        queues[channel]?.removeAll { delivery in
            guard case .packet(connection, _) = delivery.content else { return false }
            delivery.arrival?.fulfil()
            return true
        }
        if queues[channel]?.isEmpty == true { queues[channel] = nil }
    }

    /// The same for the same seed, whatever else is on its way, and in each process.
    private static func rank(of count: UInt64, in channel: Channel, seed: UInt64) -> UInt64 {
        hash(of: channel.route, seed ^ channel.kind.rawValue << 32, count)
    }

    private static func hash(of route: Route, _ seed: UInt64, _ count: UInt64) -> UInt64 {
        var hash = seed
        let names = [route.from.rawValue, route.to.rawValue].joined(separator: "\0")
        // FNV-1a.
        for byte in names.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        var generator = SeededGenerator(seed: hash &+ count &* 0x9FB2_1C65_1E98_DF25)
        return generator.next()
    }
}

/// What the conditions of a way decide.
extension Deliveries {
    private enum Chance: UInt64 {
        case command = 1
        case notification, advertisement, confirmation
        case secondCommand, secondNotification
        case overtaking, latency, delay
    }

    /// A random number, which the seed and how many of its kind came before decide.
    private mutating func draw(_ chance: Chance, _ route: Route) -> UInt64 {
        let count = chances[route, default: [:]][chance, default: 0]
        chances[route, default: [:]][chance] = count + 1
        return Self.hash(of: route, (seed ?? 0) ^ chance.rawValue << 40, count)
    }

    private mutating func happens(_ chance: Chance, _ share: Double, _ route: Route) -> Bool {
        share > 0 && Double(draw(chance, route) >> 11) / Double(1 << 53) < share
    }

    private mutating func duration(
        _ chance: Chance,
        in range: ClosedRange<Duration>,
        _ route: Route
    ) -> Duration {
        guard range.upperBound > .zero else { return .zero }
        let share = Double(draw(chance, route) >> 11) / Double(1 << 53)
        return range.lowerBound + (range.upperBound - range.lowerBound) * share
    }

    private mutating func isLost(
        _ content: Content,
        _ conditions: LinkConditions,
        _ route: Route
    ) -> Bool {
        switch content {
        case .sighting: happens(.advertisement, conditions.lostAdvertisementShare, route)
        case .packet(_, .command): happens(.command, conditions.lostCommandShare, route)
        case .packet(_, .value(_, _, nil)):
            happens(.notification, conditions.lostNotificationShare, route)
        case .packet(_, .confirmation):
            happens(.confirmation, conditions.lostConfirmationShare, route)
        case .connect, .packet: false
        }
    }

    private mutating func isDoubled(
        _ content: Content,
        _ conditions: LinkConditions,
        _ route: Route
    ) -> Bool {
        switch content {
        case .packet(_, .command): happens(.secondCommand, conditions.doubledCommandShare, route)
        case .packet(_, .value(_, _, nil)):
            happens(.secondNotification, conditions.doubledNotificationShare, route)
        case .sighting, .connect, .packet: false
        }
    }

    private mutating func due(
        of content: Content,
        _ conditions: LinkConditions,
        _ route: Route,
        at now: Duration
    ) -> Duration {
        guard case .packet(_, let packet) = content else { return .zero }
        var delay = duration(.latency, in: conditions.latency, route)
        if case .confirmation = packet {
            delay += duration(.delay, in: conditions.confirmationDelay, route)
        }
        guard conditions.isDelayed || delay > .zero else { return .zero }
        var start = max(now, freeTimes[route] ?? .zero)
        if let rate = conditions.bytesPerSecond {
            start += .seconds(1) * Double(packet.byteCount) / Double(max(rate, 1))
            freeTimes[route] = start
        }
        // None passes another.
        let last = queues[Channel(route: route, kind: .connection)]?.last?.due ?? .zero
        return max(start + delay, last)
    }
}

extension Deliveries.Content {
    /// Whether others of its kind may arrive before it.
    fileprivate var mayBePassed: Bool {
        switch self {
        case .packet(_, .command), .packet(_, .value(_, _, nil)): true
        case .sighting, .connect, .packet: false
        }
    }
}

extension Packet {
    /// How many bytes of a value it carries.
    fileprivate var byteCount: Int {
        switch self {
        case .command(_, let value), .value(_, let value, _), .request(_, .write(_, let value)),
            .response(_, .success(.value(let value, _))):
            value.count
        case .request, .response, .confirmation, .servicesChanged, .mtuChanged, .terminated: 0
        }
    }
}
