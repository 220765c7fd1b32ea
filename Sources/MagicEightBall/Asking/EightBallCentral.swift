public import BLE
internal import BLESession
public import Logging
internal import Synchronization

/// Asks balls over a radio.
///
/// ```swift
/// let central = EightBallCentral(radio: radio)
/// await central.addObserver(observer)
/// try await central.start()
/// ```
///
/// A ball is discovered at its first sighting with a name and a signal strength in the window. It is
/// connected when it is asked, and stays so for a while. Questions to one ball are asked one after
/// the other; several balls can be asked at once. Between ``start()`` and ``stop()`` the
/// central keeps itself alive.
///
/// It runs on the radio's executor; no observer, nor any other code of the program that uses it, is called there.
public actor EightBallCentral: AskingCentral {
    /// The signal strengths at which a ball is discovered by default: −60 to −20 dBm.
    public static let defaultRSSIWindow = RSSI(-60)...RSSI(-20)

    /// How many balls are known at once; for another one, the one whose last sighting is oldest is lost.
    static let maximumBallCount = 1024

    let radio: any CentralRadio
    nonisolated let executor: any RadioExecutor
    let timeouts: Timeouts
    let whenBusy: BusyPolicy
    let maximumQuestionCount: Int
    let clock: any Clock<Duration>
    let logger: Logger
    let observers = Observers<any CentralObserver>()
    var streams = EventStreams<CentralEvent> { .failed(EightBallError(missed: $0)) }

    /// The last error that observers were told; `nil` before the first, and after ``start()``.
    public internal(set) var error: EightBallError?

    /// The signal strengths at which a ball is discovered.
    public private(set) var rssiWindow: ClosedRange<RSSI>

    /// The balls, in the order in which they were discovered.
    var order: [PeerID] = []
    var records: [PeerID: BallRecord] = [:]
    var links: LinkPool
    /// Calls that wait for a ball, by their numbers.
    var searches: [Int: Search] = [:]

    var session = CentralSession.stopped
    /// Ends the links of sessions that were stopped.
    private var disconnecting: Task<Void, Never>?
    /// Calls of ``run()``.
    var runs = EndWaiters()
    /// Calls that wait for the radio, and start it then, until ``stop()`` takes them out.
    private(set) var beginnings = Beginnings()
    /// The radio's state that was reported last.
    var reportedState = RadioState.on
    let radioSession: RadioSession
    private let lastNumber = Atomic(0)

    /// The radio's executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// A central that has not been started.
    ///
    /// - Parameters:
    ///   - radio: the radio to use.
    ///   - rssiWindow: the signal strengths at which a ball is discovered.
    ///   - timeouts: how long it waits for what.
    ///   - whenBusy: what it does when a ball refuses a question as busy.
    ///   - maximumQuestionCount: how many questions to one ball may be unfinished at once, at least 1.
    ///   - clock: measures the time; `nil` for the radio's executor.
    ///   - logger: where it logs: losses and states as `notice`, failures as `warning`, retries as `info`,
    ///     with `adapter` and `peer` as metadata.
    public init(
        radio: any CentralRadio,
        rssiWindow: ClosedRange<RSSI> = defaultRSSIWindow,
        timeouts: Timeouts = Timeouts(),
        whenBusy: BusyPolicy = .giveUp,
        maximumQuestionCount: Int = 16,
        clock: (any Clock<Duration>)? = nil,
        logger: Logger = Logger(label: "MagicEightBall")
    ) {
        self.radio = radio
        executor = radio.executor
        precondition(maximumQuestionCount > 0, "no question could be asked")
        self.rssiWindow = rssiWindow
        self.timeouts = timeouts
        self.whenBusy = whenBusy
        self.maximumQuestionCount = maximumQuestionCount
        let clock = clock ?? radio.executor.clock
        self.clock = clock
        links = LinkPool(over: radio, keepingIdleFor: timeouts.idleLink, on: clock)
        var logger = logger
        if !radio.name.isEmpty { logger[metadataKey: "adapter"] = "\(radio.name)" }
        self.logger = logger
        radioSession = RadioSession(
            states: { await radio.states() },
            retryingAfter: timeouts.retry,
            on: clock
        )
    }

    /// The radio's present state.
    public var radioState: RadioState {
        get async { await radio.state }
    }

    /// The balls that can be asked, in the order in which they were discovered.
    public var devices: [any BallDevice] {
        order.compactMap { records[$0]?.ball }
    }

    /// All that is known of the balls at this moment, in the order in which they were discovered.
    public var snapshots: [BallSnapshot] {
        order.compactMap { snapshot(of: $0) }
    }

    /// Begins to look for balls.
    ///
    /// - Throws: ``EightBallError``, `CancellationError`; see ``EightBallSDK/start()``.
    public func start() async throws {
        guard session.isStopped else { return }
        let number = nextNumber()
        session = .starting(number)
        error = nil
        do {
            let events = try await scan()
            guard case .starting(number) = session else {
                throw Self.stopped("the central was stopped while it was being started")
            }
            session = .scanning(
                CentralSession.Scan(
                    scanning: executor.task(of: self) { await $0.keepScanning(events) },
                    aging: executor.task(of: self) { await $0.removeUnseenBalls() }
                ),
                watching: executor.task(of: self) { await $0.watchRadio() }
            )
        } catch {
            let failure = EightBallError("looking for balls", at: .radio, failedWith: error)
            if case .starting(number) = session {
                session = .stopped
                runs.end(throwing: failure)
                failSearches(failure)
            }
            try Task.checkCancellation()
            throw failure
        }
    }

    /// Waits until the radio is on, then begins to look for balls.
    ///
    /// - Parameter limit: how long to wait for the radio.
    /// - Throws: ``EightBallError``, `CancellationError`; see ``EightBallSDK/start(waitingUpTo:)``.
    public func start(waitingUpTo limit: Duration) async throws {
        guard try await begin(waitingUpTo: limit) else {
            throw Self.stopped("the central was stopped before it was started")
        }
    }

    /// Looks for balls until the task is cancelled; then stops.
    ///
    /// - Throws: ``EightBallError``; see ``EightBallSDK/run()``.
    public func run() async throws {
        try await radioSession.run {
            _ = try await begin(waitingUpTo: nil)
        } ending: {
            session.isStopped ? nil : runs.add()
        } stop: {
            await stop()
        }
    }

    /// Waits until the radio is on, then starts, unless it is stopped meanwhile.
    ///
    /// - Parameter limit: how long to wait for the radio; `nil` for as long as the task runs.
    /// - Returns: whether it was not stopped meanwhile.
    /// - Throws: as ``start()``.
    private func begin(waitingUpTo limit: Duration?) async throws -> Bool {
        try await radioSession.begin(waitingUpTo: limit) { change in
            change(&beginnings)
        } start: {
            try await start()
        }
    }

    /// Ends scan, questions and connections, and removes all balls.
    public func stop() async {
        beginnings.end()
        if !session.isStopped {
            let ended = endSession()
            disconnecting = Task { [former = disconnecting] in
                // At once: a system may take seconds for each.
                await withDiscardingTaskGroup { group in
                    for link in ended { group.addTask { await self.disconnect(link) } }
                }
                await former?.value
            }
        }
        await disconnecting?.value
    }

    /// - Returns: the links that it had, to be disconnected.
    private func endSession() -> [any Link] {
        session.stop()
        runs.end()
        let stopped = Self.stopped("the central was stopped")
        failSearches(stopped)
        let ended = order.compactMap { endQuestionsAndLink(of: $0, because: stopped) }
        for peer in order { records[peer]?.asking?.cancelTimers() }
        order = []
        records = [:]
        links.removeAll()
        return ended
    }

    /// Sets the signal strengths at which a ball is discovered.
    ///
    /// - Parameter window: the strengths, from the next sighting on.
    public func setRSSIWindow(_ window: ClosedRange<RSSI>) {
        rssiWindow = window
    }

    /// What is known of a ball; `nil` for a ball that is lost.
    func snapshot(of peer: PeerID) -> BallSnapshot? {
        records[peer].map { BallSnapshot($0, isConnected: links[peer] != nil) }
    }

    /// Tells a session, a question or a link from earlier ones.
    nonisolated func nextNumber() -> Int {
        lastNumber.add(1, ordering: .relaxed).newValue
    }

    /// Does something on the radio's executor, without waiting for it.
    nonisolated func perform(_ work: @escaping @Sendable (isolated EightBallCentral) -> Void) {
        executor.call { self.assumeIsolated(work) }
    }

    static var notStarted: EightBallError { stopped("the central has not been started") }

    static func stopped(_ circumstance: String) -> EightBallError {
        EightBallError(.stopped, circumstance)
    }
}
