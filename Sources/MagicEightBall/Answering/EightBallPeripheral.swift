public import BLE

/// Answers askers over a radio.
///
/// ```swift
/// let ball = EightBallPeripheral(radio: radio, name: "Ball", answers: .fixed(Answer(.yes)))
/// await ball.addObserver(observer)
/// try await ball.start()
/// ```
///
/// A question that ends in `?` is accepted at once, waits for its turn, and is answered when the
/// source has an answer. First come, first served; no asker's questions keep those of others out.
/// An asker that knows how has its answer to itself, and many of those may ask at once. An original
/// one is told its answer together with all others, so one such question is taken at a time;
/// meanwhile, and for other askers ``Timeouts/settling`` longer, theirs are refused as
/// ``RejectionReason/deviceBusy``. Between ``start()`` and ``stop()`` the ball keeps itself alive.
public actor EightBallPeripheral: Peripheral {
    /// How many askers are known at once; others are refused as ``RejectionReason/deviceBusy``.
    static let maximumAskerCount = 256

    /// How many accepted questions a ``QuestionLimit`` remembers, of whomever; while there are as many,
    /// all are refused as ``RejectionReason/tooManyQuestions``.
    static let maximumCountedQuestions = 4096

    /// The name under which askers find the ball: 1 to 29 bytes of UTF-8.
    public nonisolated let localName: String

    let radio: any PeripheralRadio
    let answers: AnswerSource
    let timeouts: Timeouts
    let questionLimit: QuestionLimit?
    let clock: any Clock<Duration>
    let observers = Observers<any PeripheralObserver>()

    /// The failure that observers were told last; `nil` before the first, and after ``start()``.
    public internal(set) var error: EightBallError?

    /// The askers, in the order in which they came.
    var order: [PeerID] = []
    var records: [PeerID: AskerRecord] = [:]
    var queue: QuestionQueue
    /// What somebody is told of.
    var subscribed: Set<BluetoothUUID> = []
    /// How many questions of each asker count for the limit, also when it has gone meanwhile.
    var recent: [PeerID: Int] = [:]
    var forgetting: [Int: Task<Void, Never>] = [:]
    /// Whose answer is on its way to everybody still.
    var lastAnswered: PeerID?
    var settling: Task<Void, Never>?

    /// Which start this is; `nil` when stopped.
    var session: Int?
    var publication: (any Publication)?
    /// Which publication is shown, or being made; `nil` when none is.
    var publicationNumber: Int?
    /// Told while the publication was still being made.
    var endedEarly: RadioError?
    var restoring: Task<Void, Never>?
    private var watching: Task<Void, Never>?
    /// How observers were told last that the radio is.
    var toldState = RadioState.on
    private var lastNumber = 0

    /// A ball that has not been started.
    ///
    /// - Parameters:
    ///   - radio: what it answers over.
    ///   - name: the name under which askers find it, 1 to 29 bytes of UTF-8; ``start()`` checks.
    ///   - answers: where its answers come from.
    ///   - waiting: how many questions may wait for their turn, 0 or more; what is asked beyond is
    ///     refused as ``RejectionReason/deviceBusy``.
    ///   - atOnce: how many questions the source is asked at once, 1 or more; 1 suits a person.
    ///   - limit: how often one asker may ask; what is asked beyond is refused as
    ///     ``RejectionReason/tooManyQuestions``. `nil` for no limit.
    ///   - timeouts: how long it waits for what.
    ///   - clock: measures the time.
    public init(
        radio: any PeripheralRadio,
        name: String,
        answers: AnswerSource = .random,
        waiting: Int = 16,
        atOnce: Int = 1,
        limit: QuestionLimit? = nil,
        timeouts: Timeouts = Timeouts(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        precondition(waiting >= 0 && atOnce > 0, "\(waiting) waiting, \(atOnce) at once")
        self.radio = radio
        localName = name
        self.answers = answers
        queue = QuestionQueue(maximumWaiting: waiting, maximumThinking: atOnce)
        questionLimit = limit
        self.timeouts = timeouts
        self.clock = clock
    }

    /// Whether the radio can be used, now.
    public var radioState: RadioState {
        get async { await radio.state }
    }

    /// Whether the ball can be found and asked, now.
    public var isAdvertising: Bool { publication != nil }

    /// The askers that are connected, in the order in which they came.
    public var devices: [any CentralDevice] {
        order.compactMap { records[$0]?.asker }
    }

    /// Shows the ball.
    ///
    /// - Throws: ``EightBallError``, `CancellationError`; see ``SDK/start()``. Also with
    ///   ``EightBallError/Code/invalidName`` when the name is empty or too long.
    public func start() async throws {
        guard session == nil else { return }
        let session = nextNumber()
        self.session = session
        error = nil
        do {
            try await publish()
            try Task.checkCancellation()
            watching = Task { await self.watchRadio() }
        } catch {
            if self.session == session { await stop() }
            try Task.checkCancellation()
            throw EightBallError("showing '\(localName)'", at: .radio, failedWith: error)
        }
    }

    /// Ends service, advertisement and all questions that wait.
    ///
    /// Returns when the system has confirmed, or after ``Timeouts/radio``.
    public func stop() async {
        guard session != nil else { return }
        session = nil
        watching?.cancel()
        restoring?.cancel()
        for id in forgetting.keys.sorted() { forgetting[id]?.cancel() }
        forgetting = [:]
        recent = [:]
        let stopped = EightBallError(.stopped, "'\(localName)' was stopped")
        let publication = endPublication(because: stopped, told: nil)
        settling?.cancel()
        lastAnswered = nil
        guard let publication else { return }
        // In a task of its own: who calls may be cancelled.
        await Task { await withdraw(publication) }.value
    }

    /// Lets an observer hear what happens, from the next happening on.
    ///
    /// While 4096 happenings wait because an observer takes long, more are not told; observers then hear
    /// ``EightBallError/Code/overflow``, and how many it were.
    ///
    /// - Parameter observer: who is to hear; held weakly.
    public func addObserver(_ observer: any PeripheralObserver) async {
        await observers.add(observer) { [weak self] observer, count in
            guard let self else { return }
            await observer.peripheral(self, didFail: EightBallError(untold: count))
        }
    }

    /// Lets an observer hear nothing more.
    ///
    /// - Parameter observer: who has heard enough.
    public func removeObserver(_ observer: any PeripheralObserver) async {
        await observers.remove(observer)
    }

    /// Whether an observer hears what happens.
    ///
    /// - Parameter observer: who is meant.
    /// - Returns: whether it was added and not removed.
    public func isObserving(_ observer: any PeripheralObserver) async -> Bool {
        await observers.contains(observer)
    }

    /// What is known of an asker; `nil` for one that is not connected.
    func record(of peer: PeerID) -> AskerRecord? { records[peer] }

    /// Tells a session, a publication or a question from earlier ones.
    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}
