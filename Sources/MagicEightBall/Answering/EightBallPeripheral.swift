public import BLE
internal import BLESession
public import Logging

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
/// An asker of this SDK has a private reply, and many of those may ask at once. An answer to an original
/// one is notified to all subscribers, so one such question is taken at a time;
/// meanwhile, and for other askers ``Timeouts/settling`` longer, theirs are refused as
/// ``RejectionReason/deviceBusy``. Between ``start()`` and ``stop()`` the ball keeps itself alive.
///
/// It runs on the radio's executor; no source of answers, observer or other code of the program that uses it
/// is called there.
public actor EightBallPeripheral: AnsweringPeripheral {
    /// How many askers are known at once; others are refused as ``RejectionReason/deviceBusy``.
    static let maximumAskerCount = 256

    /// How many accepted questions a ``QuestionLimit`` remembers, of whomever; while there are as many,
    /// all are refused as ``RejectionReason/tooManyQuestions``.
    static let maximumCountedQuestions = 4096

    /// The name under which askers find the ball: 1 to 29 bytes of UTF-8.
    public nonisolated let localName: String

    let radio: any PeripheralRadio
    nonisolated let executor: any RadioExecutor
    let answers: AnswerSource
    let timeouts: Timeouts
    let questionLimit: QuestionLimit?
    let clock: any Clock<Duration>
    let logger: Logger
    let observers = Observers<any PeripheralObserver>()
    private var streams = EventStreams<PeripheralEvent> { .failed(EightBallError(missed: $0)) }

    /// The failure that was reported last; `nil` before the first, and after ``start()``.
    public internal(set) var error: EightBallError?

    /// The askers, in the order in which they came.
    var order: [PeerID] = []
    var records: [PeerID: AskerRecord] = [:]
    var queue: QuestionQueue
    /// What is under way for each accepted question.
    var work: [Int: QuestionWork] = [:]
    /// The characteristics with subscribers.
    var subscribed: Set<AttributeID> = []
    /// Whether apps of the original's first series can ask too.
    let servesFirstSeries: Bool
    /// Answers that wait for a first subscriber.
    var subscriptionWaits: [Int: AsyncStream<Never>.Continuation] = [:]
    /// How many questions of each asker count for the limit, also when it has gone meanwhile.
    var recent: [PeerID: Int] = [:]
    var forgetting: [Int: Deadline] = [:]
    /// Whose answer is on its way to everybody still.
    var lastAnswered: PeerID?
    var settling: Deadline?

    var session = BallSession.stopped
    var publication = BallPublication.none
    /// How many calls publish the service, or take it back as it is no longer wanted.
    var publishingCount = 0
    /// Publishes the service again.
    var restoring: Task<Void, Never>?
    /// Watches the radio.
    var watching: Task<Void, Never>?
    /// Calls of ``run()``.
    var runs = EndWaiters()
    /// Calls that wait for the radio, and start it then, until ``stop()`` takes them out.
    var beginnings = Beginnings()
    /// Waits that are checked after each event of a question.
    var waits: [Int: AsyncStream<Void>.Continuation] = [:]
    /// Whether a ball that stops waits for no more answers.
    var isHurried = false
    /// The radio's state that was reported last.
    var reportedState = RadioState.on
    let radioSession: RadioSession
    private var lastNumber = 0

    /// The radio's executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

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
    ///   - servesFirstSeries: whether apps of the original's first series can ask too, which write without a
    ///     response, and subscribe after that. On BlueZ no plain question can be refused then: bluetoothd
    ///     accepts each before this ball is asked. Private ones are refused as ever.
    ///   - timeouts: how long it waits for what.
    ///   - clock: measures the time; `nil` for the radio's executor.
    ///   - logger: where it logs: losses and states as `notice`, failures as `warning`, retries as `info`,
    ///     with `ball`, `adapter` and `peer` as metadata.
    public init(
        radio: any PeripheralRadio,
        name: String,
        answers: AnswerSource = .random,
        waiting: Int = 16,
        atOnce: Int = 1,
        limit: QuestionLimit? = nil,
        servesFirstSeries: Bool = false,
        timeouts: Timeouts = Timeouts(),
        clock: (any Clock<Duration>)? = nil,
        logger: Logger = Logger(label: "MagicEightBall")
    ) {
        precondition(waiting >= 0 && atOnce > 0, "\(waiting) waiting, \(atOnce) at once")
        self.radio = radio
        executor = radio.executor
        localName = name
        self.answers = answers
        queue = QuestionQueue(maximumWaiting: waiting, maximumThinking: atOnce)
        questionLimit = limit
        self.servesFirstSeries = servesFirstSeries
        self.timeouts = timeouts
        let clock = clock ?? radio.executor.clock
        self.clock = clock
        var logger = logger
        logger[metadataKey: "ball"] = "\(name)"
        if !radio.name.isEmpty { logger[metadataKey: "adapter"] = "\(radio.name)" }
        self.logger = logger
        radioSession = RadioSession(
            states: { await radio.states() },
            retryingAfter: timeouts.retry,
            on: clock
        )
    }

    /// Whether the radio can be used, now.
    public var radioState: RadioState {
        get async { await radio.state }
    }

    /// Whether the ball can be found and asked, now.
    public var isAdvertising: Bool { publication.isPublished }

    /// The askers that are connected, in the order in which they came.
    public var devices: [any AskerDevice] {
        order.compactMap { records[$0]?.asker }
    }

    /// Shows the ball.
    ///
    /// - Throws: ``EightBallError``, `CancellationError`; see ``EightBallSDK/start()``. Also with
    ///   ``EightBallError/Code/invalidName`` when the name is empty or too long.
    public func start() async throws {
        if case .closing(let closing) = session { await closing.value }
        guard session.isStopped else { return }
        let number = nextNumber()
        session = .running(number)
        error = nil
        do {
            try await publish()
            watching = executor.task(of: self) { await $0.watchRadio() }
        } catch {
            let failure = EightBallError("showing '\(localName)'", at: .radio, failedWith: error)
            if session.number == number {
                runs.end(throwing: failure)
                await end(finishing: .zero)
            }
            try Task.checkCancellation()
            throw failure
        }
    }

    /// Ends service, advertisement and all questions that wait.
    ///
    /// Askers of this SDK are refused as ``RejectionReason/deviceOffline``, and have
    /// ``Timeouts/closing`` to read that and any other reply. Returns when the system has confirmed, or
    /// after that time and ``Timeouts/radio``. ``stop(finishing:)`` waits for answers first.
    public func stop() async { await stop(finishing: .zero) }

    /// Adds an observer, which receives each event from now on.
    ///
    /// While 4096 events wait because an observer takes long, further ones are dropped; observers then
    /// receive ``EightBallError/Code/overflow`` with their number.
    ///
    /// - Parameter observer: the observer, held weakly.
    public func addObserver(_ observer: any PeripheralObserver) async {
        await observers.add(observer) { [weak self] observer, count in
            guard let self else { return }
            let failure = EightBallError(missed: count)
            await self.keep(failure)
            await PeripheralEvent.failed(failure).deliver(to: observer, from: self)
        }
    }

    /// Keeps a failure that is reported to observers alone.
    private func keep(_ failure: EightBallError) { error = failure }

    /// Removes an observer.
    ///
    /// - Parameter observer: the observer.
    public func removeObserver(_ observer: any PeripheralObserver) async {
        await observers.remove(observer)
    }

    /// Whether an observer receives events.
    ///
    /// - Parameter observer: the observer.
    /// - Returns: whether it was added and not removed.
    public func isObserving(_ observer: any PeripheralObserver) async -> Bool {
        await observers.contains(observer)
    }

    /// The events from now on, as a stream of its own for each reader of this property.
    public var events: AsyncStream<PeripheralEvent> {
        streams.add { [weak self] id in
            // In a task, since the consumer may be anywhere when it drops the stream.
            Task { await self?.removeStream(id) }
        }
    }

    private func removeStream(_ id: Int) { streams.remove(id) }

    /// Sends an event to streams and observers.
    func report(_ event: PeripheralEvent) {
        event.log(to: logger)
        streams.send(event)
        observers.call { await event.deliver(to: $0, from: self) }
    }

    /// What is known of an asker; `nil` for one that is not connected.
    func record(of peer: PeerID) -> AskerRecord? { records[peer] }

    /// A number for a session, a publication or a question, used once.
    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}
