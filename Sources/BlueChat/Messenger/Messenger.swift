public import BLE
internal import BLESession
public import Logging

/// Finds others, calls them and is called.
///
/// With the original app it has one chat at a time, as that does; with others of this library several, which are encrypted.
///
/// ```swift
/// let messenger = Messenger(radio: adapter, name: try ChatName("Alice"))
/// try await messenger.start()
/// let bob = try await messenger.find(named: "Bob")
/// let chat = try await messenger.call(bob.id)
/// try await chat.send("Hi 👋")
/// ```
///
/// It is advertised while it is ready and no chat with an original is on. It can be found, called and written to by the
/// original app, and does the same with it.
public actor Messenger {
    /// How many others may be known to be nearby; of more, those that were not seen for longest are left out.
    static let maximumNearbyCount = 1024

    let radio: any Radio
    let executor: any RadioExecutor
    let clock: any Clock<Duration>
    let timeouts: ChatTimeouts
    let logger: Logger
    let radioSession: RadioSession
    let observers = Observers<any ChatObserver>()
    var streams = EventStreams<ChatEvent> { .missed(Messenger.missed($0)) }
    private var ownerStreams = EventStreams<ChatEvent> { .missed(Messenger.missed($0)) }

    /// The name under which this one is found.
    public nonisolated let name: ChatName

    /// What others of this library know this one by.
    public nonisolated var key: ChatKey { identity.key }

    /// Whether others can call, and can be called.
    public internal(set) var isReady = false

    /// What runs from `start` to `stop`.
    var serving: Task<Void, Never>?
    var starting: Promise<Void>?
    /// Why it cannot go on.
    var ending: ChatError?
    var ends = EndWaiters()
    var publication: PublishedChat?
    var callee = Callee()
    private var lastPublicationNumber = 0
    /// Which chat was the last one that has begun.
    package private(set) var lastChatNumber: Chat.ID = 0

    /// Whether others are looked for until told otherwise.
    var isSearchWanted = false
    /// How many calls of `find` look for somebody.
    var findingCount = 0
    var searching: Task<Void, Never>?
    var aging: Task<Void, Never>?
    /// In the order in which they were discovered.
    var nearbyOrder: [PeerID] = []
    var records: [PeerID: NearbyRecord] = [:]

    /// Whom this one calls at present.
    var calling: PeerID?
    /// Whether the user wants to chat with them, whoever they are.
    var wantsCalled = false
    /// The chat with an original that is on.
    var chatting: ChatRecord?

    /// The last text that is indicated, or waits for those before it: one goes at a time, so that nobody else has come when it does.
    var indicating: Task<Void, Never>?

    /// Who this is to others of this library.
    nonisolated let identity: ChatIdentity
    /// Whether this end does what the original does, and no more.
    let isOriginal: Bool
    /// Keeps encrypted chats.
    let archive: (any ChatArchive)?
    /// With others of this library; where there is no archive, they outlast chats.
    var conversations: [ChatKey: Conversation] = [:]
    /// Who has chatted last comes last.
    var conversationOrder: [ChatKey] = []
    var encryptedChats: [ChatKey: EncryptedChat] = [:]
    /// Those that the other end has left, and that are to be ended.
    var leftChats: Set<ChatKey> = []
    var callerEnds: [Int: CallerEnd] = [:]
    var callingDevices: [PeerID: CallingDevice] = [:]
    var lastSessionNumber = 0
    var lastDeliveryNumber = 0

    /// The radio's executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Creates a messenger that is not started.
    ///
    /// - Parameters:
    ///   - radio: over which others are reached, in both roles.
    ///   - name: under which it is found.
    ///   - identity: who it is to others of this library; a new one is nobody's friend.
    ///   - isOriginal: whether it does what the original does and no more: nothing is encrypted.
    ///   - archive: keeps encrypted chats; without one, what was not delivered waits in memory.
    ///   - timeouts: how long it waits for what.
    ///   - clock: measures the time; `nil` for the radio's executor.
    ///   - logger: takes what it does.
    public init(
        radio: any Radio,
        name: ChatName,
        identity: ChatIdentity = ChatIdentity(),
        isOriginal: Bool = false,
        archive: (any ChatArchive)? = nil,
        timeouts: ChatTimeouts = ChatTimeouts(),
        clock: (any Clock<Duration>)? = nil,
        logger: Logger = Logger(label: "BlueChat")
    ) {
        self.radio = radio
        self.name = name
        self.identity = identity
        self.isOriginal = isOriginal
        self.archive = archive
        self.timeouts = timeouts
        self.logger = logger
        executor = radio.executor
        let clock = clock ?? radio.executor.clock
        self.clock = clock
        radioSession = RadioSession(
            states: { await radio.states() },
            retryingAfter: timeouts.retry,
            on: clock
        )
    }

    deinit {
        serving?.cancel()
        searching?.cancel()
        aging?.cancel()
    }

    /// Publishes the service and advertises it, as soon as the radio is on; returns when others can call.
    ///
    /// While the radio is waited for, ``ChatEvent/becameUnready(_:)`` has said why. From then on it is published again whenever
    /// the radio or the system has lost it, unless the radio was closed for good: ``waitUntilEnded()``. Returns at once when it
    /// is started already.
    ///
    /// - Parameter limit: how long the radio may take to be on; `nil` for as long as it takes.
    /// - Throws: ``ChatError``: ``ChatError/Code/bluetoothOff``, ``ChatError/Code/bluetoothAbsent``,
    ///   ``ChatError/Code/busy``, and then it is stopped; ``ChatError/Code/notReady`` when it is stopped before it is ready;
    ///   `CancellationError`, and then it is stopped.
    public func start(waitingUpTo limit: Duration? = .seconds(10)) async throws {
        while let serving, serving.isCancelled { await end(serving) }
        if let ending { throw ending }
        guard serving == nil else { return }
        let started = Promise<Void>()
        starting = started
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

    /// Ends the chat that is on, and is no longer advertised or published.
    ///
    /// Does nothing when it is stopped. A messenger that was started lives on until then.
    public func stop() async {
        guard let serving else { return }
        isSearchWanted = false
        endSearch()
        await leaveAll()
        await end(serving)
        // A call may have gone through meanwhile.
        await leaveAll()
    }

    private func leaveAll() async {
        if let chat = chatting?.chat { await leave(chat) }
        await withTaskGroup { group in
            for (key, record) in encryptedChats {
                group.addTask { await self.leave(record.chat, with: key) }
            }
        }
    }

    /// Ends what runs from `start` to `stop`; whoever waits for the start is told.
    private func end(_ serving: Task<Void, Never>) async {
        serving.cancel()
        await serving.value
        guard self.serving == serving else { return }
        (self.serving, ending) = (nil, nil)
        ends.end()
        starting?.fail(ChatError(.notReady, "it was stopped before it was ready"))
        starting = nil
    }

    func nextPublicationNumber() -> Int {
        lastPublicationNumber += 1
        return lastPublicationNumber
    }

    func nextChatNumber() -> Int {
        lastChatNumber += 1
        return lastChatNumber
    }

    private static func missed(_ count: Int) -> ChatError {
        ChatError(.missed, "\(count) events were not told: too many wait")
    }

    // MARK: - Events

    /// The events from now on, as a stream of its own for each reader of this property.
    public var events: AsyncStream<ChatEvent> {
        streams.add { [weak self] id in
            // In a task, since the consumer may be anywhere when it drops the stream.
            Task { await self?.removeStream(id) }
        }
    }

    private func removeStream(_ id: Int) { streams.remove(id) }

    /// The events from now on, until ``endOwnerEvents()``; for whoever starts and stops the messenger.
    package var ownerEvents: AsyncStream<ChatEvent> {
        ownerStreams.add { [weak self] id in Task { await self?.removeOwnerStream(id) } }
    }

    private func removeOwnerStream(_ id: Int) { ownerStreams.remove(id) }

    /// Ends the streams of ``ownerEvents``; the events before are still taken.
    package func endOwnerEvents() { ownerStreams.finish() }

    /// Adds an observer; it is told the events from now on, also those that wait when the messenger is stopped and nobody has it
    /// any more.
    ///
    /// - Parameter observer: the observer, held weakly.
    public func addObserver(_ observer: any ChatObserver) async {
        await observers.add(observer) { [weak self] observer, count in
            guard let self else { return }
            await ChatEvent.missed(Self.missed(count)).deliver(to: observer, from: self)
        }
    }

    /// Removes an observer; it is told nothing more.
    ///
    /// - Parameter observer: the observer.
    public func removeObserver(_ observer: any ChatObserver) async {
        await observers.remove(observer)
    }

    func report(_ event: ChatEvent) {
        logger.debug("\(event.summary)")
        streams.send(event)
        ownerStreams.send(event)
        // It lives until they were told.
        observers.call { observer in await event.deliver(to: observer, from: self) }
    }
}
