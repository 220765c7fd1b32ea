/// What becomes of what one radio sends to another, beyond the losses that end a connection.
///
/// ```swift
/// var conditions = LinkConditions()
/// conditions.lostCommandShare = 0.1
/// conditions.overtakingCount = 3
/// await air.simulateConditions(conditions, from: phone, to: torch)
/// ```
///
/// Each decision is made by the air's seed and by how many of its kind were sent before, so that the same sends have the same
/// outcome in each run. Without a seed it is the seed 0.
public struct LinkConditions: Hashable, Sendable {
    /// The share of write commands that are lost, 0 to 1; no sender is told.
    ///
    /// Real ones are lost above the air alone: by a receiver that has no room.
    public var lostCommandShare = 0.0
    /// The share of notifications that are lost, 0 to 1.
    public var lostNotificationShare = 0.0
    /// The share of advertisements that are not received, 0 to 1.
    public var lostAdvertisementShare = 0.0
    /// The share of confirmations of indications that are lost, 0 to 1.
    public var lostConfirmationShare = 0.0

    /// The share of write commands that arrive twice, 0 to 1.
    public var doubledCommandShare = 0.0
    /// The share of notifications that arrive twice, 0 to 1, as with two programs of one host that have subscribed.
    public var doubledNotificationShare = 0.0

    /// How many write commands, or notifications, may pass one before them, minus one: 1 for none.
    ///
    /// Over several bearers, as between two BlueZ 5.66, they arrive in another order within groups of three. What is passed waits
    /// for the others, for what is sent of another kind, or for 20 ms.
    public var overtakingCount = 1

    /// How long a packet is on its way; each by itself, and none passes another for that.
    public var latency: ClosedRange<Duration> = .zero ... .zero
    /// How long a confirmation waits before it is sent.
    public var confirmationDelay: ClosedRange<Duration> = .zero ... .zero
    /// How many bytes of values a second carries; `nil` for any number.
    public var bytesPerSecond: Int?

    /// Creates conditions under which all arrives, once, in order and at once.
    public init() {}

    /// Whether what is sent takes a time.
    var isDelayed: Bool { latency.upperBound > .zero || bytesPerSecond != nil }
}

extension MemoryAir {
    /// Changes what becomes of what one radio sends to another from now on.
    ///
    /// Requests and their replies are neither lost nor doubled; a connection that loses one ends. With a latency or a bandwidth,
    /// whatever sends returns while fewer than 256 packets are on their way, and waits for the arrival then.
    ///
    /// - Parameters:
    ///   - conditions: what becomes of it.
    ///   - radio: who sends.
    ///   - other: who receives.
    public func simulateConditions(
        _ conditions: LinkConditions,
        from radio: MemoryRadio,
        to other: MemoryRadio
    ) {
        deliveries.conditions[Route(from: radio.peer, to: other.peer)] = conditions
    }
}
