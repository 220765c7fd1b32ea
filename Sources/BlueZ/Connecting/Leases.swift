internal import BLE
internal import BLEDBus

/// The links over one connection, and what each of them has subscribed to.
///
/// A value: it says which links are too slow, and whether anybody has subscribed.
struct Leases {
    /// What may wait for one consumer.
    static let maximumEventCount = 256

    /// One subscription: of a link's events, or of a stream of its own.
    struct SubscriptionID: Hashable {
        let path: ObjectPath
        let number: Int
    }

    private struct Lease {
        let events: AsyncStream<LinkEvent>.Continuation
    }

    private struct Subscription {
        let lease: Int
        /// `nil` when the values come among the link's events.
        let stream: AsyncThrowingStream<[UInt8], any Error>.Continuation?
        /// How many calls have asked for it that have not failed.
        var callCount = 1
    }

    private var leases: [Int: Lease] = [:]
    private var subscriptions: [ObjectPath: [Int: Subscription]] = [:]
    private var lastNumber = 0

    var count: Int { leases.count }

    func contains(_ lease: Int) -> Bool { leases[lease] != nil }

    /// Adds a link.
    ///
    /// - Returns: its number, and its events.
    mutating func add() -> (lease: Int, events: AsyncStream<LinkEvent>) {
        lastNumber += 1
        // One more that is too many, and the end.
        let (events, continuation) = AsyncStream.makeStream(
            of: LinkEvent.self,
            bufferingPolicy: .bufferingOldest(Self.maximumEventCount + 2)
        )
        leases[lastNumber] = Lease(events: continuation)
        return (lastNumber, events)
    }

    // MARK: - Subscriptions

    /// Whether any link has subscribed to a characteristic.
    func isSubscribed(_ path: ObjectPath) -> Bool { subscriptions[path] != nil }

    /// Adds a subscription.
    ///
    /// - Returns: what identifies it; that of an earlier call where the link's events are to have the values already.
    mutating func subscribe(
        _ lease: Int,
        to path: ObjectPath,
        _ stream: AsyncThrowingStream<[UInt8], any Error>.Continuation?
    ) -> SubscriptionID {
        if stream == nil, let number = number(of: lease, at: path) {
            subscriptions[path]?[number]?.callCount += 1
            return SubscriptionID(path: path, number: number)
        }
        lastNumber += 1
        subscriptions[path, default: [:]][lastNumber] = Subscription(lease: lease, stream: stream)
        return SubscriptionID(path: path, number: lastNumber)
    }

    /// A call failed that had subscribed, or a stream is no longer read.
    mutating func unsubscribe(_ id: SubscriptionID) {
        subscriptions[id.path]?[id.number]?.callCount -= 1
        guard subscriptions[id.path]?[id.number]?.callCount == 0 else { return }
        remove(id.number, at: id.path)
    }

    /// A link's events have the values of a characteristic no longer.
    ///
    /// - Returns: whether they had.
    mutating func unsubscribe(_ lease: Int, from path: ObjectPath) -> Bool {
        guard let number = number(of: lease, at: path) else { return false }
        remove(number, at: path)
        return true
    }

    /// The subscription of a link's events.
    private func number(of lease: Int, at path: ObjectPath) -> Int? {
        subscriptions[path]?.first { $0.value.lease == lease && $0.value.stream == nil }?.key
    }

    private mutating func remove(_ number: Int, at path: ObjectPath) {
        subscriptions[path]?[number] = nil
        if subscriptions[path]?.isEmpty == true { subscriptions[path] = nil }
    }

    /// Ends the subscriptions to a characteristic that is gone.
    mutating func endStreams(at path: ObjectPath, _ error: RadioError) {
        for subscription in subscriptions.removeValue(forKey: path)?.values ?? [:].values {
            subscription.stream?.finish(throwing: error)
        }
    }

    // MARK: - Values and events

    /// Hands a value to all that have subscribed; ends streams that nobody reads.
    ///
    /// - Returns: the links whose events nobody reads.
    mutating func deliver(
        _ value: [UInt8],
        of id: AttributeID,
        at path: ObjectPath,
        _ overflow: RadioError
    ) -> [Int] {
        var slow: [Int] = []
        for (number, subscription) in subscriptions[path] ?? [:] {
            guard let stream = subscription.stream else {
                if !report(.notification(id, value), to: subscription.lease) {
                    slow.append(subscription.lease)
                }
                continue
            }
            guard case .dropped = stream.yield(value) else { continue }
            stream.finish(throwing: overflow)
            remove(number, at: path)
        }
        return slow
    }

    /// Reports an event to all links.
    ///
    /// - Returns: the links whose events nobody reads.
    func report(_ event: LinkEvent) -> [Int] {
        leases.keys.filter { !report(event, to: $0) }
    }

    private func report(_ event: LinkEvent, to lease: Int) -> Bool {
        guard case .enqueued(let room) = leases[lease]?.events.yield(event) else { return true }
        return room >= 2
    }

    // MARK: - End

    /// Ends one link.
    ///
    /// - Returns: what it had subscribed to.
    mutating func end(_ lease: Int, _ error: RadioError?) -> [ObjectPath] {
        guard let ended = leases.removeValue(forKey: lease) else { return [] }
        ended.events.yield(.disconnected(error))
        ended.events.finish()
        var paths: [ObjectPath] = []
        for (path, found) in subscriptions {
            for (number, subscription) in found where subscription.lease == lease {
                subscription.stream?.finish(throwing: error)
                remove(number, at: path)
                paths.append(path)
            }
        }
        return paths.sorted { $0.rawValue < $1.rawValue }
    }

    /// The connection has ended, and all links with it.
    mutating func end(_ error: RadioError?) {
        for lease in leases.keys.sorted() { _ = end(lease, error) }
    }
}
