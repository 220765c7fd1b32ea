public import BLE
internal import BLESession
public import BlueChat
public import BlueChatStore
public import Logging

/// A user's chats: a messenger whose friends and messages are kept, and that calls friends for whom messages wait when
/// they are near.
///
/// ```swift
/// let store = try await ChatStore.open(at: "/home/alice/.local/share/bluechat/chat.db")
/// let account = try await ChatAccount(store: store, radio: adapter, name: try ChatName("Alice"))
/// try await account.start()
/// let chat = try await account.call(.nearby(bob.id))
/// try await account.send("Hi 👋", to: account.friend(of: chat))
/// ```
public actor ChatAccount {
    /// How long a friend who could not be called is left alone.
    static let retryPause = Duration.seconds(30)
    /// How long a chat that began to deliver what waited goes on when nothing more is said.
    static let idlePause = Duration.seconds(60)
    /// Of how many devices it is remembered whose they are.
    static let maximumKnownPeerCount = 1_024

    /// Where friends and messages are kept.
    public nonisolated let store: ChatStore
    /// Finds others, calls them and is called; its archive is the store.
    public nonisolated let messenger: Messenger

    nonisolated let clock: any Clock<Duration>
    nonisolated let logger: Logger
    var streams = EventStreams<ChatAccountEvent> {
        .chat(.missed(ChatError(.missed, "\($0) events were not told: too many wait")))
    }
    private var serving: Task<Void, Never>?
    /// The stop that is under way.
    private var stopping: Task<Void, Never>?

    /// The chats that are on.
    var chats: [FriendID: Chat] = [:]
    var typing: Set<FriendID> = []
    /// Whose devices those are with which there was a chat.
    var knownPeers: [PeerID: FriendID] = [:]
    var knownPeerOrder: [PeerID] = []
    /// Devices that are not called for a while, as that has failed.
    var resting: [PeerID: Task<Void, Never>] = [:]
    /// The call that is being made to deliver what waits.
    var calling: Task<Void, Never>?
    /// The calls of the user's, which are made one after the other, and before any for what waits.
    var callTurns = Turns()
    /// What is being sent to originals.
    var sending: [FriendID: Task<Void, Never>] = [:]
    /// Originals for whom a text waits that could not be sent in the chat that is on.
    var postponed: Set<FriendID> = []
    /// Changes of messages that were sent to others and have no outcome yet, by what tells them.
    var changes: [MessageID: MessageChange] = [:]
    /// Chats with originals who are blocked, which end soon.
    var leaving: [Chat.ID: Task<Void, Never>] = [:]
    /// How many texts of originals have come.
    var receivedCount = 0
    /// Chats that began so, and what ends them.
    var deliveries: [FriendID: Task<Void, Never>?] = [:]

    /// Creates an account that is not started.
    ///
    /// - Parameters:
    ///   - store: has who the user is; a new identity is made, and kept, when it does not.
    ///   - radio: over which others are reached.
    ///   - name: under which the user is found from now on; `nil` for the name that the store has.
    ///   - isOriginal: whether it does what the original app does and no more.
    ///   - timeouts: how long the messenger waits for what.
    ///   - clock: measures the time; `nil` for the radio's executor.
    ///   - logger: takes what it does.
    /// - Throws: `ChatStoreError`; `ChatError` with `invalidName` when there is no name.
    public init(
        store: ChatStore,
        radio: any Radio,
        name: ChatName? = nil,
        isOriginal: Bool = false,
        timeouts: ChatTimeouts = ChatTimeouts(),
        clock: (any Clock<Duration>)? = nil,
        logger: Logger = Logger(label: "BlueChat")
    ) async throws {
        self.store = store
        self.logger = logger
        self.clock = clock ?? radio.executor.clock
        let profile = try await store.profile()
        let name = try name ?? ChatName(profile?.name ?? "")
        let identity = profile.flatMap { ChatIdentity($0.identity) } ?? ChatIdentity()
        let current = OwnProfile(name: name.text, identity: identity.bytes)
        if profile != current { try await store.setProfile(current) }
        messenger = Messenger(
            radio: radio,
            name: name,
            identity: identity,
            isOriginal: isOriginal,
            archive: store,
            timeouts: timeouts,
            clock: clock,
            logger: logger
        )
    }

    /// Starts the messenger, and looks for others, until ``stop()``.
    ///
    /// Strangers who have said nothing are removed from the store. A stop that is under way is waited for; returns at once when it
    /// is started already.
    ///
    /// - Parameter limit: how long the radio may take to be on; `nil` for as long as it takes.
    /// - Throws: as `Messenger.start(waitingUpTo:)` does, or `ChatStoreError`, and then it is stopped.
    public func start(waitingUpTo limit: Duration? = .seconds(10)) async throws {
        while let stopping { await stopping.value }
        guard serving == nil else { return }
        let (events, changes) = (await messenger.ownerEvents, await store.changes)
        // Somebody else may have started it meanwhile, and stopped it.
        guard serving == nil, stopping == nil else { return try await start(waitingUpTo: limit) }
        let task = Task { [weak self] in
            await withTaskGroup { group in
                group.addTask { for await change in changes { await self?.handle(change) } }
                for await event in events { await self?.handle(event) }
                group.cancelAll()
            }
        }
        serving = task
        do {
            // A program that was killed during a chat could not do it then.
            for friend in try await store.friends() where friend.state == .requestReceived {
                try await store.removeStranger(friend.id)
            }
            try checkServing(task)
            try await messenger.start(waitingUpTo: limit)
            try checkServing(task)
            await messenger.search()
        } catch {
            // Else whoever has stopped it ends the task.
            if serving == task {
                serving = nil
                task.cancel()
            }
            throw error
        }
    }

    private func checkServing(_ task: Task<Void, Never>) throws {
        guard serving != task else { return }
        throw ChatError(.notReady, "the account was stopped before it was ready")
    }

    /// Leaves all chats, and is no longer to be found; the store stays open.
    ///
    /// What happened before is kept, and its events are sent, when this returns.
    public func stop() async {
        if let task = serving {
            serving = nil
            stopping = Task { await end(task) }
        }
        await stopping?.value
    }

    private func end(_ task: Task<Void, Never>) async {
        calling?.cancel()
        for case let task? in deliveries.values { task.cancel() }
        for task in sending.values { task.cancel() }
        await messenger.stop()
        await calling?.value
        for task in resting.values { task.cancel() }
        // What came before is kept, and told.
        await messenger.endOwnerEvents()
        await task.value
        // What was being sent has an outcome now, which is kept; and no chat is on.
        for task in sending.values { await task.value }
        for task in leaving.values { await task.value }
        for case let task? in deliveries.values { task.cancel() }
        (resting, deliveries, sending) = ([:], [:], [:])
        (chats, typing, postponed, changes) = ([:], [], [], [:])
        stopping = nil
    }

    /// Whether it is started.
    var isServing: Bool { serving != nil }

    // MARK: - Events

    /// The events from now on, as a stream of its own for each reader of this property.
    public var events: AsyncStream<ChatAccountEvent> {
        streams.add { [weak self] id in Task { await self?.removeStream(id) } }
    }

    private func removeStream(_ id: Int) { streams.remove(id) }
}

/// A change of a message of the user's.
struct MessageChange {
    let message: MessageID
    let friend: FriendID
    /// `nil` takes the message back.
    let text: String?
}
