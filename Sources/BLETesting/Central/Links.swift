internal import BLE

/// The links over one end of a connection, and what each of them has subscribed to.
///
/// A value: it says which links are too slow, and whether anybody has subscribed.
struct Links {
    /// What may wait for one consumer.
    static let maximumEventCount = 256

    private struct Subscription {
        let link: Int
        /// `nil` when the values come among the link's events.
        let stream: AsyncThrowingStream<[UInt8], any Error>.Continuation?
    }

    private var links: [Int: AsyncStream<LinkEvent>.Continuation] = [:]
    private var subscriptions: [Target: [Int: Subscription]] = [:]

    var count: Int { links.count }
    var isEmpty: Bool { links.isEmpty }

    func contains(_ link: Int) -> Bool { links[link] != nil }

    /// Adds a link.
    ///
    /// - Returns: its events.
    mutating func add(_ link: Int) -> AsyncStream<LinkEvent> {
        // One more that is too many, and the end.
        let (events, continuation) = AsyncStream.makeStream(
            of: LinkEvent.self,
            bufferingPolicy: .bufferingOldest(Self.maximumEventCount + 2)
        )
        links[link] = continuation
        return events
    }

    // MARK: - Subscriptions

    /// Whether any link has subscribed.
    func isSubscribed(to target: Target) -> Bool { subscriptions[target] != nil }

    /// Whether a link has the values among its events.
    func isSubscribed(_ link: Int, to target: Target) -> Bool {
        subscriptions[target]?.values.contains { $0.link == link && $0.stream == nil } == true
    }

    mutating func subscribe(
        _ link: Int,
        to target: Target,
        _ stream: AsyncThrowingStream<[UInt8], any Error>.Continuation?,
        id: Int
    ) {
        guard contains(link), stream != nil || !isSubscribed(link, to: target) else { return }
        subscriptions[target, default: [:]][id] = Subscription(link: link, stream: stream)
    }

    /// Ends a subscription.
    ///
    /// - Returns: to what it was.
    @discardableResult
    mutating func unsubscribe(_ id: Int) -> Target? {
        guard let target = subscriptions.first(where: { $0.value[id] != nil })?.key else {
            return nil
        }
        remove(id, from: target)
        return target
    }

    /// A link no longer has the values among its events.
    mutating func unsubscribe(_ link: Int, from target: Target) {
        let found = subscriptions[target]?.first {
            $0.value.link == link && $0.value.stream == nil
        }
        if let found { remove(found.key, from: target) }
    }

    private mutating func remove(_ id: Int, from target: Target) {
        subscriptions[target]?[id] = nil
        if subscriptions[target]?.isEmpty == true { subscriptions[target] = nil }
    }

    /// Ends the subscriptions to characteristics that were removed.
    mutating func endSubscriptions(to publication: Int, _ error: RadioError) {
        for target in subscriptions.keys where target.publication == publication {
            for subscription in subscriptions.removeValue(forKey: target)?.values ?? [:].values {
                subscription.stream?.finish(throwing: error)
            }
        }
    }

    // MARK: - Values and events

    /// Hands a value to all that have subscribed; ends streams that are not consumed.
    ///
    /// - Returns: the links whose events are not consumed, and the streams that were ended.
    mutating func deliver(
        _ value: [UInt8],
        of id: AttributeID,
        from target: Target
    ) -> (slow: [Int], ended: Bool) {
        var slow: [Int] = []
        var hasEnded = false
        for (number, subscription) in subscriptions[target]?.ordered ?? [] {
            guard let stream = subscription.stream else {
                if !report(.notification(id, value), to: subscription.link) {
                    slow.append(subscription.link)
                }
                continue
            }
            guard case .dropped = stream.yield(value) else { continue }
            stream.finish(throwing: Self.overflow("values of \(id)"))
            remove(number, from: target)
            hasEnded = true
        }
        return (slow, hasEnded)
    }

    /// Reports an event to all links.
    ///
    /// - Returns: the links whose events are not consumed.
    func report(_ event: LinkEvent) -> [Int] {
        links.keys.sorted().filter { !report(event, to: $0) }
    }

    private func report(_ event: LinkEvent, to link: Int) -> Bool {
        guard case .enqueued(let room) = links[link]?.yield(event) else { return true }
        return room >= 2
    }

    static func overflow(_ what: String) -> RadioError {
        RadioError(.overflow, "more than \(maximumEventCount) \(what) wait for their consumer")
    }

    // MARK: - End

    /// Ends one link.
    ///
    /// - Returns: what it had subscribed to.
    mutating func end(_ link: Int, _ error: RadioError?) -> [Target] {
        guard let events = links.removeValue(forKey: link) else { return [] }
        events.yield(.disconnected(error))
        events.finish()
        var targets: [Int: Target] = [:]
        for (target, found) in subscriptions {
            for (id, subscription) in found where subscription.link == link {
                subscription.stream?.finish(throwing: error)
                remove(id, from: target)
                targets[id] = target
            }
        }
        return targets.ordered.map(\.value)
    }

    /// Ends all links.
    mutating func end(_ error: RadioError?) {
        for link in links.keys.sorted() { _ = end(link, error) }
    }
}
