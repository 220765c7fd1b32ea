public import BLE
internal import BLESession
public import Logging

/// A node of dIM's mesh: sends and receives messages of one user, and sends on those of others.
///
/// ```swift
/// let node = RelayNode(radio: adapter, identity: identity, address: address)
/// try await node.add(try RelayLink("dim://bobby#5678//…"))
/// try await node.start()
/// for await case .received(let message) in await node.events { print(message.text) }
/// ```
///
/// It is advertised, connects to whoever it discovers, and subscribes there; neighbours do the same with it. All texts are
/// encrypted; to whom they are, and from whom, everybody on the way sees.
public actor RelayNode {
    /// How many contacts there are at most.
    public static let maximumContactCount = 1_024
    /// How many messages are remembered of those sent, and of those that have come.
    package static var maximumKnownCount: Int { Correspondence.maximumKnownCount }
    /// How many devices nearby are remembered.
    static let maximumPeerCount = 256

    let radio: any Radio
    let executor: any RadioExecutor
    let clock: any Clock<Duration>
    let timeouts: RelayTimeouts
    let rateTime: Duration
    let logger: Logger
    let radioSession: RadioSession
    let generation: RelayGeneration
    let archive: (any RelayArchive)?
    let elapsed: @Sendable () -> Duration
    private var streams = EventStreams<RelayEvent> {
        .missed(RelayError(.missed, "\($0) events were not told: too many wait"))
    }

    /// Under what packets reach this user.
    public nonisolated let address: RelayAddress
    /// What is advertised as its name, for everybody near; `nil` for the address, as the apps do.
    public nonisolated let advertisedName: String?
    /// What contacts need.
    public nonisolated var link: RelayLink { RelayLink(address: address, key: identity.key) }
    private nonisolated let identity: RelayIdentity

    /// Whether it is published, advertised and looks for neighbours.
    public internal(set) var isReady = false

    var router: Router
    /// How many packets for this user meant nothing, by why.
    private var ignored: [RelayCounters.IgnoreReason: Int] = [:]
    /// How many packets were not sent to a neighbour, by why.
    var unsent: [RelayCounters.UnsentReason: Int] = [:]
    /// What is being kept, the last of it, and how much waits.
    var keeping: Task<Void, Never>?
    var keepingCount = 0
    var correspondence: Correspondence
    private var random = SystemRandomNumberGenerator()

    var serving: Task<Void, Never>?
    var starting: Promise<Void>?
    /// Who waits for its end, and why it cannot go on.
    var ends = EndWaiters()
    var ending: RelayError?
    var publication: PublishedRelay?
    /// When all were last sent what is kept, and who does it next.
    var lastReplay: Duration?
    var replaying: Task<Void, Never>?
    var lastPublicationNumber = 0
    var peers: [PeerID: PeerRecord] = [:]
    var links: LinkPool
    /// To whom this node connects, is connected, or is about to end that: also those that it has forgotten meanwhile.
    var connecting: [PeerID: Task<Void, Never>] = [:]
    var lastNeighbour = NeighbourID.everybody.number

    /// The radio's executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Creates a node that is not started.
    ///
    /// - Parameters:
    ///   - radio: over which neighbours are reached, in both roles.
    ///   - identity: who the user is.
    ///   - address: under what packets reach the user.
    ///   - advertisedName: what is advertised as its name, for everybody near: cut where an advertisement has no room, none
    ///     when it is empty; `nil` for the address, as the apps do.
    ///   - generation: which apps can read what it makes.
    ///   - archive: keeps messages before they are acknowledged; `nil` for none.
    ///   - limits: how much it remembers, keeps and takes, and to how many neighbours it connects.
    ///   - timeouts: how long it waits for what.
    ///   - clock: measures the time; `nil` for the radio's executor.
    ///   - logger: takes what it does.
    public init(
        radio: any Radio,
        identity: RelayIdentity,
        address: RelayAddress,
        advertisedName: String? = nil,
        generation: RelayGeneration = .both,
        archive: (any RelayArchive)? = nil,
        limits: RelayLimits = RelayLimits(),
        timeouts: RelayTimeouts = RelayTimeouts(),
        clock: (any Clock<Duration>)? = nil,
        logger: Logger = Logger(label: "Relay")
    ) {
        self.radio = radio
        self.identity = identity
        self.address = address
        self.advertisedName = advertisedName
        self.generation = generation
        self.archive = archive
        self.timeouts = timeouts
        rateTime = limits.rateTime
        self.logger = logger
        executor = radio.executor
        let clock = clock ?? radio.executor.clock
        self.clock = clock
        elapsed = clock.stopwatch()
        links = LinkPool(
            over: radio,
            atMost: limits.connectionCount,
            keepingIdleFor: nil,
            givingWayAfter: timeouts.silence,
            on: clock
        )
        router = Router(address: address, generation: generation, limits: limits)
        correspondence = Correspondence(identity, address)
        radioSession = RadioSession(
            states: { await radio.states() },
            retryingAfter: timeouts.retry,
            on: clock
        )
    }

    // MARK: - From start to stop

    /// Publishes the service, advertises it and looks for neighbours, as soon as the radio is on; returns when it is found.
    ///
    /// From then on it does so again whenever the radio or the system has lost it, unless the radio was closed for good:
    /// ``waitUntilEnded()``. Returns at once when it is started already.
    ///
    /// - Parameter limit: how long the radio may take to be on; `nil` for as long as it takes.
    /// - Throws: ``RelayError``: ``RelayError/Code/bluetoothOff``, ``RelayError/Code/bluetoothAbsent``,
    ///   ``RelayError/Code/busy``, ``RelayError/Code/timedOut`` when the radio does not reply, ``RelayError/Code/failed``, and then it
    ///   is stopped; ``RelayError/Code/notReady`` when it is stopped before it is ready; `CancellationError`, and then it is stopped.
    public func start(waitingUpTo limit: Duration? = .seconds(10)) async throws {
        while let serving, serving.isCancelled { await end(serving) }
        guard serving == nil else { return }
        let started = Promise<Void>()
        (starting, ending) = (started, nil)
        let serving = executor.task(of: self) { await $0.keepServing(within: limit) }
        self.serving = serving
        do {
            try await started.wait()
        } catch {
            // It may have been stopped meanwhile, and started again.
            if self.serving == serving { await stop() }
            throw error
        }
    }

    /// Leaves its neighbours, and is no longer advertised or published.
    ///
    /// A connection may take the system seconds to end; this returns when the system has the request. Does nothing when it is
    /// stopped. A node that was started lives on until then.
    public func stop() async {
        guard let serving else { return }
        await end(serving)
    }

    /// Ends what runs from `start` to `stop`; whoever waits for the start is told.
    private func end(_ serving: Task<Void, Never>) async {
        serving.cancel()
        await serving.value
        for connection in connecting.values { await connection.value }
        guard self.serving == serving else { return }
        endServing()
        starting?.fail(RelayError(.notReady, "it was stopped before it was ready"))
        starting = nil
    }

    /// It is stopped from now on.
    func endServing(because failure: RelayError? = nil) {
        serving = nil
        replaying?.cancel()
        replaying = nil
        ending = failure
        ends.end(throwing: failure)
    }

    /// Waits until the node is stopped, or cannot go on, and then it is stopped; returns at once when it is not started.
    ///
    /// - Throws: ``RelayError`` with ``RelayError/Code/bluetoothAbsent`` when its radio was closed for good, as when the system's
    ///   bus has ended; `CancellationError`.
    public func waitUntilEnded() async throws {
        if let ending { throw ending }
        guard serving != nil else { return }
        let end = ends.add()
        for try await _ in end {}
        try Task.checkCancellation()
    }

    /// Waits in a task that is cancelled when what it is for has gone.
    ///
    /// - Parameter pause: how long.
    /// - Returns: whether it was not cancelled.
    func isNeeded(after pause: Duration) async -> Bool {
        (try? await clock.sleep(for: pause)) != nil && !Task.isCancelled
    }

    // MARK: - What there is

    /// The devices nearby that relay or may do so, the strongest signal first.
    public var neighbours: [RelayNeighbour] {
        peers.values.map(\.neighbour).sorted {
            ($0.rssi ?? RSSI(-127), "\($0.id)") > ($1.rssi ?? RSSI(-127), "\($1.id)")
        }
    }

    /// What has become of packets since the node was created.
    public var counters: RelayCounters {
        var counters = router.counters
        (counters.ignored, counters.unsent) = (ignored, unsent)
        return counters
    }

    /// How many packets are kept for neighbours who come later.
    public var queuedCount: Int {
        router.expire(at: elapsed())
        return router.queuedCount
    }

    /// The events from now on, as a stream of its own for each reader of this property.
    public var events: AsyncStream<RelayEvent> {
        streams.add { [weak self] id in Task { await self?.removeStream(id) } }
    }

    private func removeStream(_ id: Int) { streams.remove(id) }

    func report(_ event: RelayEvent) {
        logger.debug("\(event.summary)")
        streams.send(event)
    }

    // MARK: - Packets

    /// Takes an event, and does what comes of it.
    func handle(_ event: Router.Event) {
        let effects = router.handle(event, at: elapsed()) { [correspondence] in
            correspondence.isGenuine($0)
        }
        for effect in effects {
            switch effect {
            case .send(let packet, let neighbours):
                let isKept = publication?.send(packet, to: neighbours)
                if isKept == false { unsent[.pushedOut, default: 0] += 1 }
            case .deliver(let packet, _): deliver(packet)
            case .drop(let reason, let neighbour):
                logger.trace("dropped what neighbour \(neighbour.number) sent: \(reason)")
            }
        }
    }

    private func deliver(_ packet: RelayPacket) {
        let outcome = correspondence.receive(packet, receiptID: newID())
        switch outcome {
        case .ignored(let reason):
            ignored[reason, default: 0] += 1
            logger.debug("a packet means nothing: \(reason)")
            guard reason == .notDecrypted, let sender = try? RelayAddress(packet.sender) else {
                return
            }
            report(.undecipherable(sender))
        case .received, .receivedAgain, .delivered, .read: take(outcome, of: packet)
        }
    }

    func newID() -> Int32 { Int32.random(in: 0...Int32.max, using: &random) }
}
