internal import BLE

/// Radios in memory that discover and connect to each other.
///
/// ```swift
/// let air = MemoryAir()
/// let central = await air.radio("Phone")
/// let peripheral = await air.radio("Torch")
/// ```
///
/// What one radio sends arrives at the others in an order: what one sends to another over a connection
/// keeps its order, and so do its advertisements. Of what is on its way between different radios at the same
/// time, whatever was sent first arrives first. With a seed, that order is random, and the same for the same
/// seed. Which deliveries are on their way at the same time is decided by the tasks of the test, too.
///
/// Time is measured on a clock: the intervals of advertisements, the 4 s that a responder has for a
/// request, the 30 s that a central has to confirm an indication. Nothing else takes any time.
public actor MemoryAir {
    /// Where its radios' events arrive, and where it runs itself.
    nonisolated let executor: any RadioExecutor
    nonisolated let clock: any Clock<Duration>
    nonisolated let elapsed: @Sendable () -> Duration
    nonisolated let start = ContinuousClock.now
    private nonisolated let isSeeded: Bool

    var radios: [PeerID: RadioRecord] = [:]
    /// The radios in the order in which they were made.
    var peers: [PeerID] = []
    var strengths: [Pair: RSSI?] = [:]
    var ends: [Route: ConnectionEnd] = [:]
    var attempts: [Route: Attempt] = [:]
    /// The ends of connections that take their time, and who waits for each.
    var endings: [Route: [Int: Promise<Void>]] = [:]
    var publications: [Int: PublicationRecord] = [:]
    var advertisements: [Int: AdvertisementRecord] = [:]
    var deliveries: Deliveries
    private var deliverer: Task<Void, Never>?
    private var idleWaits: [Promise<Void>] = []
    /// Ends the wait for what takes its time.
    private var waking: Promise<Void>?
    private var lastNumber = 0

    /// The executor of its radios.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Creates an air without radios.
    ///
    /// - Parameters:
    ///   - seed: decides the order of what arrives from different radios; `nil` for the order in which it
    ///     was sent.
    ///   - clock: measures all times.
    public init(seed: UInt64? = nil, clock: any Clock<Duration> = ContinuousClock()) {
        self.init(seed: seed, clock: clock, on: RadioQueue("MemoryAir"))
    }

    /// Creates an air in a schedule, which decides the order of all.
    ///
    /// - Parameter schedule: whose clock it is, and where it runs.
    package init(in schedule: Schedule) {
        self.init(
            seed: schedule.seed,
            clock: schedule.clock,
            on: ScheduledExecutor(schedule.scheduler)
        )
    }

    private init(seed: UInt64?, clock: any Clock<Duration>, on executor: any RadioExecutor) {
        self.executor = executor
        self.clock = clock
        elapsed = clock.stopwatch()
        isSeeded = seed != nil
        deliveries = Deliveries(seed: seed)
    }

    deinit {
        for advertisement in advertisements.values { advertisement.timer?.cancel() }
        for publication in publications.values { publication.items.finish() }
        for radio in radios.values {
            for watcher in radio.watchers.values { watcher.finish() }
        }
    }

    /// Returns the radio of a name, and makes it when there is none.
    ///
    /// - Parameters:
    ///   - name: the radio's name, which is also its `PeerID` for the others.
    ///   - configuration: what the radio can do; counts when it is made.
    /// - Returns: the radio, which is on.
    public func radio(
        _ name: String,
        _ configuration: MemoryRadio.Configuration = .init()
    ) -> MemoryRadio {
        let peer = PeerID(rawValue: name)
        if radios[peer] == nil {
            peers.append(peer)
            let bytes = [16, 8, 0].map { shift in
                let digits = String(peers.count >> shift & 0xFF, radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }
            radios[peer] = RadioRecord(
                peer: peer,
                address: BluetoothAddress(
                    "C0:00:00:" + bytes.joined(separator: ":"),
                    kind: .random
                ),
                configuration: configuration
            )
        }
        return MemoryRadio(name, in: self)
    }

    /// Waits until nothing is on its way from one radio to another.
    ///
    /// Ends early when the task is cancelled. Responders may still be at what has arrived.
    public func waitUntilDelivered() async {
        guard deliverer != nil else { return }
        let promise = Promise<Void>()
        idleWaits.append(promise)
        do {
            try await promise.wait()
        } catch {
            // Cancelled.
        }
    }

    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: - Deliveries

    /// How much is on its way over a connection.
    func deliveryCount(on route: Route) -> Int {
        deliveries.count(in: .init(route: route, kind: .connection))
    }

    func deliver(_ content: Deliveries.Content, on route: Route, arrival: Promise<Void>? = nil) {
        let kind: Deliveries.Channel.Kind =
            if case .sighting = content { .advertising } else { .connection }
        deliveries.add(content, to: .init(route: route, kind: kind), arrival, at: elapsed())
        wake()
        guard deliverer == nil else { return }
        // Ends when nothing is on its way.
        deliverer = Task { [weak self] in await self?.deliverAll() }
    }

    /// Sends a packet to the other end of a connection, unless this end has ended.
    func send(_ packet: Packet, on route: Route, arrival: Promise<Void>? = nil) {
        guard let connection = ends[route]?.connection else {
            arrival?.fulfil()
            return
        }
        deliver(.packet(connection, packet), on: route, arrival: arrival)
    }

    func losePackets(of connection: Int, on route: Route) {
        deliveries.removeAll(of: connection, on: route)
        signalRoom()
    }

    /// Something has arrived, or never will.
    func signalRoom() {
        for (number, publication) in publications where !publication.roomWaits.isEmpty {
            signalRoom(of: number)
        }
    }

    private func deliverAll() async {
        while true {
            // What others are about to send is to be chosen from as well.
            if isSeeded { for _ in 0..<16 { await Task.yield() } }
            guard let next = deliveries.next(at: elapsed()) else {
                guard let due = deliveries.nextDue else { break }
                await sleep(until: due)
                continue
            }
            receive(next)
            next.arrival?.fulfil()
            signalRoom()
            await Task.yield()
        }
        deliverer = nil
        for promise in idleWaits { promise.fulfil() }
        idleWaits = []
    }

    /// Waits until something that takes its time arrives, or something else is sent.
    private func sleep(until due: Duration) async {
        let waking = Promise<Void>()
        self.waking = waking
        let timer = Task { [clock, rest = due - elapsed()] in
            guard (try? await clock.sleep(for: rest)) != nil else { return }
            waking.fulfil()
        }
        // Never cancelled.
        try? await waking.wait()
        timer.cancel()
    }

    private func wake() {
        waking?.fulfil()
        waking = nil
    }

    private func receive(_ delivery: Deliveries.Delivery) {
        switch delivery.content {
        case .sighting(let advertisement, let scan):
            receive(advertisement, on: delivery.route, for: scan)
        case .connect(let number):
            receiveConnection(number, on: delivery.route)
        case .packet(let connection, let packet):
            let route = delivery.route.reversed
            guard ends[route]?.connection == connection else { return }
            receive(packet, at: route)
        }
    }
}
