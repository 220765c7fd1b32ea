public import BLE

/// Asks balls over a radio.
///
/// ```swift
/// let central = EightBallCentral(radio: radio)
/// await central.addObserver(observer)
/// try await central.start()
/// ```
///
/// A ball is discovered at its first sighting that has a name and a strength in the window. It is
/// connected when it is asked, and stays so for a while. Questions to one ball are asked one after
/// the other; several balls can be asked at once. Between ``start()`` and ``stop()`` the
/// central keeps itself alive.
public actor EightBallCentral: Central {
    /// How loud a ball must be to be discovered, unless told otherwise: −60 to −20 dBm.
    public static let defaultRSSIWindow = RSSI(-60)...RSSI(-20)

    /// How many balls are known at once; for another one, the one that was silent for the longest is
    /// lost.
    static let maximumBallCount = 1024

    let radio: any CentralRadio
    let timeouts: Timeouts
    let whenBusy: BusyPolicy
    let maximumQuestionCount: Int
    let clock: any Clock<Duration>
    let observers = Observers<any CentralObserver>()

    /// The failure that observers were told last; `nil` before the first, and after ``start()``.
    public internal(set) var error: EightBallError?

    /// How loud a ball must be heard to be discovered.
    public private(set) var rssiWindow: ClosedRange<RSSI>

    /// The balls, in the order in which they were discovered.
    var order: [PeerID] = []
    var records: [PeerID: BallRecord] = [:]
    /// Who waits for a ball, by the number of the call.
    var seekers: [Int: Seeker] = [:]

    /// Which start this is; `nil` when stopped.
    var session: Int?
    var scanning: Task<Void, Never>?
    var aging: Task<Void, Never>?
    /// Why nothing is heard now, until a scan begins again.
    var scanFailure: EightBallError?
    var watching: Task<Void, Never>?
    /// How observers were told last that the radio is.
    var toldState = RadioState.on
    private var lastNumber = 0

    /// A central that has not been started.
    ///
    /// - Parameters:
    ///   - radio: what it asks over.
    ///   - rssiWindow: how loud a ball must be heard to be discovered.
    ///   - timeouts: how long it waits for what.
    ///   - whenBusy: what it does when a ball refuses a question as busy.
    ///   - maximumQuestionCount: how many questions to one ball may be unfinished at once, at least 1.
    ///   - clock: measures the time.
    public init(
        radio: any CentralRadio,
        rssiWindow: ClosedRange<RSSI> = defaultRSSIWindow,
        timeouts: Timeouts = Timeouts(),
        whenBusy: BusyPolicy = .giveUp,
        maximumQuestionCount: Int = 16,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.radio = radio
        precondition(maximumQuestionCount > 0, "no question could be asked")
        self.rssiWindow = rssiWindow
        self.timeouts = timeouts
        self.whenBusy = whenBusy
        self.maximumQuestionCount = maximumQuestionCount
        self.clock = clock
    }

    /// Whether the radio can be used, now.
    public var radioState: RadioState {
        get async { await radio.state }
    }

    /// The balls that can be asked, in the order in which they were discovered.
    public var devices: [any PeripheralDevice] {
        order.compactMap { records[$0]?.ball }
    }

    /// Begins to look for balls.
    ///
    /// - Throws: ``EightBallError``, `CancellationError`; see ``SDK/start()``.
    public func start() async throws {
        guard session == nil else { return }
        let session = nextNumber()
        self.session = session
        scanFailure = nil
        error = nil
        do {
            let events = try await scan()
            guard self.session == session else { throw Self.stopped("the scan was being begun") }
            scanning = Task { await self.keepScanning(events) }
            aging = Task { await self.loseSilentBalls() }
            watching = Task { await self.watchRadio() }
        } catch {
            if self.session == session { self.session = nil }
            try Task.checkCancellation()
            throw EightBallError("looking for balls", at: .radio, failedWith: error)
        }
    }

    /// Ends scan, questions and links, and forgets all balls.
    public func stop() async {
        guard session != nil else { return }
        session = nil
        scanning?.cancel()
        aging?.cancel()
        watching?.cancel()
        let stopped = Self.stopped("the central was stopped")
        endSeeking(stopped)
        let links = order.compactMap { release($0, because: stopped) }
        for peer in order { records[peer]?.asking?.cancelTimers() }
        order = []
        records = [:]
        for link in links { await disconnect(link) }
    }

    /// Sets how loud a ball must be heard to be discovered.
    ///
    /// - Parameter window: the strengths, from the next sighting on.
    public func setRSSIWindow(_ window: ClosedRange<RSSI>) {
        rssiWindow = window
    }

    /// Lets an observer hear what happens, from the next happening on.
    ///
    /// While 4096 happenings wait because an observer takes long, more are not told; observers then hear
    /// ``EightBallError/Code/overflow``, and how many it were.
    ///
    /// - Parameter observer: who is to hear; held weakly.
    public func addObserver(_ observer: any CentralObserver) async {
        await observers.add(observer) { [weak self] observer, count in
            guard let self else { return }
            await observer.central(self, didFail: EightBallError(untold: count))
        }
    }

    /// Lets an observer hear nothing more.
    ///
    /// - Parameter observer: who has heard enough.
    public func removeObserver(_ observer: any CentralObserver) async {
        await observers.remove(observer)
    }

    /// Whether an observer hears what happens.
    ///
    /// - Parameter observer: who is meant.
    /// - Returns: whether it was added and not removed.
    public func isObserving(_ observer: any CentralObserver) async -> Bool {
        await observers.contains(observer)
    }

    /// What is known of a ball; `nil` for a ball that is lost.
    func record(of peer: PeerID) -> BallRecord? { records[peer] }

    /// Tells a session, a question or a link from earlier ones.
    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    static func stopped(_ circumstance: String) -> EightBallError {
        EightBallError(.stopped, "nothing was asked: \(circumstance)")
    }
}
