public import BLE
internal import BLEStorage
public import Logging
public import MeshRelay

/// A user of the mesh: a node whose secret, contacts and messages are kept.
///
/// ```swift
/// let store = try await RelayStore.open(in: "/home/alice/.local/share/dim-relay")
/// let account = try await RelayAccount(store: store, radio: adapter)
/// try await account.start()
/// try await account.add(try RelayLink("dim://bobby#5678//…"))
/// try await account.send("Hi 👋", to: try RelayAddress("bobby#5678"))
/// ```
///
/// What comes is kept before it is acknowledged. What is not acknowledged is sent again, under the same number, when the node
/// becomes ready, and after 15 minutes, 30, an hour and so on, for a day; then it has failed, and that is told. It has failed at once, and why is
/// told, when a neighbour that is near then takes less than it needs.
public actor RelayAccount {
    /// How long a message is sent again.
    static let lifetime = Duration.seconds(86_400)
    /// How many are sent again within the time of ``RelayLimits/rateTime``: neighbours take 30 packets of a sender a minute, and
    /// receipts are some of them.
    static let resendingCount = 20
    /// Until it is looked again for what is to be sent again: as long as neighbours keep packets, unless they have other limits.
    static let resendingPause = Duration.seconds(900)
    /// Until messages are deleted again that are older than the store keeps them.
    static let trimmingPause = Duration.seconds(900)

    /// Where contacts and messages are kept.
    public nonisolated let store: RelayStore
    /// Sends and receives; its archive is the store.
    public nonisolated let node: RelayNode

    /// Whether contacts are told that their messages have been read; off at first.
    public var sendsReadReceipts: Bool

    private nonisolated let clock: any Clock<Duration>
    private nonisolated let elapsed: @Sendable () -> Duration
    private nonisolated let logger: Logger
    private nonisolated let rateTime: Duration
    private var serving: Task<Void, Never>?
    /// What is to be sent again, by its place in the store: the contacts in turn, so that none waits for another's.
    private var due: [Int64] = []
    /// What waits, by its place in the store.
    private var waiting: [Int64: Waiting] = [:]
    /// Tells that there is something.
    private var dueSignal: AsyncStream<Void>.Continuation?

    /// How long a message waits.
    private struct Waiting {
        /// Since when that is known here, by the clock of this process.
        let start: Duration
        /// How long it had waited by then, by the wall's clock.
        let earlier: Duration

        func age(at now: Duration) -> Duration { earlier + now - start }
    }

    /// Creates an account that is not started.
    ///
    /// - Parameters:
    ///   - store: has who the user is: its address must be set.
    ///   - radio: over which neighbours are reached, in both roles.
    ///   - advertisedName: what is advertised as the node's name; `nil` for the address.
    ///   - generation: which apps can read what it makes.
    ///   - sendsReadReceipts: whether contacts are told that their messages have been read.
    ///   - limits: how much the node remembers, keeps and takes.
    ///   - timeouts: how long the node waits for what.
    ///   - clock: measures the time; `nil` for the radio's executor.
    ///   - logger: takes what it does.
    /// - Throws: `StoreError`; `RelayError` with `invalidAddress` when the store has no address.
    public init(
        store: RelayStore,
        radio: any Radio,
        advertisedName: String? = nil,
        generation: RelayGeneration = .both,
        sendsReadReceipts: Bool = false,
        limits: RelayLimits = RelayLimits(),
        timeouts: RelayTimeouts = RelayTimeouts(),
        clock: (any Clock<Duration>)? = nil,
        logger: Logger = Logger(label: "Relay")
    ) async throws {
        guard let address = try await store.address() else {
            throw RelayError(.invalidAddress, "the store \(store.folder) has no address yet")
        }
        self.store = store
        self.sendsReadReceipts = sendsReadReceipts
        self.logger = logger
        let clock = clock ?? radio.executor.clock
        self.clock = clock
        elapsed = clock.stopwatch()
        rateTime = limits.rateTime
        node = RelayNode(
            radio: radio,
            identity: store.identity,
            address: address,
            advertisedName: advertisedName,
            generation: generation,
            archive: store,
            limits: limits,
            timeouts: timeouts,
            clock: clock,
            logger: logger
        )
        for contact in try await store.contacts() {
            guard contact.id != address, contact.link.key != store.identity.key else {
                // Versions before took one, and a name may be changed to it.
                logger.warning("a contact has this user's own address or key, and is passed over")
                continue
            }
            try await node.add(contact.link)
        }
        await node.know(try await store.knownTexts(atMost: RelayNode.maximumKnownCount))
        await node.expectReceipts(
            of: try await store.unreadByReceivers(atMost: RelayNode.maximumKnownCount)
        )
    }

    deinit {
        serving?.cancel()
    }

    /// The node's events from now on, as a stream of its own for each reader of this property.
    public var events: AsyncStream<RelayEvent> {
        get async { await node.events }
    }

    // MARK: - From start to stop

    /// Starts the node.
    ///
    /// - Parameter limit: how long the radio may take to be on; `nil` for as long as it takes.
    /// - Throws: as `RelayNode.start(waitingUpTo:)` does, and then it is stopped.
    public func start(waitingUpTo limit: Duration? = .seconds(10)) async throws {
        guard serving == nil else { return }
        let events = await node.events
        guard serving == nil else { return }
        let (signals, signal) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        (due, dueSignal) = ([], signal)
        serving = Task { [weak self, clock, rateTime] in
            await withTaskGroup { group in
                group.addTask {
                    for await event in events {
                        if case .becameReady = event { await self?.findDue { _ in true } }
                    }
                }
                group.addTask {
                    while (try? await clock.sleep(for: Self.resendingPause)) != nil {
                        await self?.findDue { Self.isDue(after: $0, each: Self.resendingPause) }
                    }
                }
                group.addTask {
                    while (try? await clock.sleep(for: Self.trimmingPause)) != nil {
                        await self?.trim()
                    }
                }
                group.addTask {
                    for await _ in signals {
                        // When it was more than once, the next may wait.
                        while await self?.sendDue() == true {
                            guard (try? await clock.sleep(for: rateTime)) != nil else { return }
                        }
                    }
                }
            }
        }
        do {
            try await node.start(waitingUpTo: limit)
        } catch {
            await stop()
            throw error
        }
    }

    /// Stops the node; the store stays open.
    public func stop() async {
        guard let task = serving else { return }
        serving = nil
        await node.stop()
        task.cancel()
        await task.value
    }

    // MARK: - Contacts

    /// Adds a contact, or gives one another key, which is not verified then.
    ///
    /// - Parameters:
    ///   - link: what the contact has shown. They need this user's, too: `node.link`.
    ///   - replacesKey: whether a contact of that address may have had another key.
    /// - Throws: `StoreError`; `RelayError`: `keyChanged`, `invalidKey`, `invalidLink` for this user's own address or key, `full`.
    public func add(_ link: RelayLink, replacingKey replacesKey: Bool = false) async throws {
        // Kept first: what somebody sends whom the store does not know cannot be kept.
        try await store.add(link, replacingKey: replacesKey)
        try await node.add(link, replacingKey: replacesKey)
    }

    /// Removes a contact with all messages.
    ///
    /// - Parameter contact: whom.
    /// - Throws: `StoreError`.
    public func remove(_ contact: RelayAddress) async throws {
        try await store.remove(contact)
        await node.remove(contact)
    }

    // MARK: - Messages

    /// Keeps a message and sends it: now, and when the node becomes ready or neighbours come.
    ///
    /// - Parameters:
    ///   - text: 1 byte or more of UTF-8, as many as `RelayNode.maximumTextByteCount(to:)` says.
    ///   - contact: to whom.
    /// - Returns: the message as it is kept.
    /// - Throws: `StoreError`; `RelayError`: `unknownContact`, `empty`, `tooLong`, and then it is not kept.
    @discardableResult
    public func send(_ text: String, to contact: RelayAddress) async throws -> StoredRelayMessage {
        let limit = await node.maximumTextByteCount(to: contact)
        guard text.utf8.count <= limit else {
            throw RelayError(tooLong: text, fitting: limit, to: contact)
        }
        let id = Int32.random(in: 0...Int32.max)
        let message = try await store.addOutgoing(text, id: id, to: contact)
        waiting[message.number] = Waiting(start: elapsed(), earlier: .zero)
        await send(message)
        return message
    }

    /// Sends a message once more, as a new one.
    ///
    /// - Parameter number: which, of the user's own.
    /// - Returns: the new message; `nil` when there is no such message.
    /// - Throws: as ``send(_:to:)`` does.
    public func resend(_ number: Int64) async throws -> StoredRelayMessage? {
        guard let message = try await store.message(number), message.isOutgoing else { return nil }
        return try await send(message.text, to: message.contact)
    }

    /// Marks messages of a contact as read, and tells the contact if ``sendsReadReceipts`` says so.
    ///
    /// - Parameters:
    ///   - contact: whose.
    ///   - numbers: which of them, by their places in the store, such as those that are shown; `nil` for all.
    /// - Throws: `StoreError`; `RelayError` with `unknownContact`.
    public func markRead(
        _ contact: RelayAddress,
        numbers: ClosedRange<Int64>? = nil
    ) async throws {
        let canTell = await node.isReady
        let ids = try await store.markRead(
            contact,
            numbers: numbers,
            sendingReceipts: sendsReadReceipts && canTell
        )
        if !ids.isEmpty { await node.markRead(ids, of: contact) }
    }

    /// Whether a message of an age is sent again, when each so long it might be: less and less often.
    static func isDue(after age: Duration, each pause: Duration) -> Bool {
        let count = Int(age / max(pause, .milliseconds(1)))
        return count > 0 && count & (count - 1) == 0
    }

    /// Finds out what is to be sent again, beside what is already.
    ///
    /// A day goes on while no program runs, and so the wall's clock says how long a message has waited until it is seen here. That
    /// may be set at any time, as on a machine which has none of its own, and so says nothing of how long it has waited since.
    private func findDue(_ isDue: @Sendable (_ age: Duration) -> Bool) async {
        do {
            let before = waiting
            let found = try await store.waiting()
            let now = elapsed()
            // What was sent meanwhile may not be among them.
            let added = waiting.filter { before[$0.key] == nil }
            let seen = found.map { ($0.number, waiting[$0.number] ?? Self.waiting($0, since: now)) }
            waiting = Dictionary(uniqueKeysWithValues: seen).merging(added) { $1 }
            let expired = Set(seen.filter { $0.1.age(at: now) >= Self.lifetime }.map(\.0))
            let known = Set(due)
            due = Self.inTurn(
                found.filter {
                    !expired.contains($0.number)
                        && (known.contains($0.number)
                            || isDue(now - (waiting[$0.number]?.start ?? now)))
                }
            )
            if !due.isEmpty { dueSignal?.yield() }
            try await giveUp(expired)
        } catch {
            logger.error("finding what waits failed: \(error)")
        }
    }

    private static func waiting(_ message: WaitingMessage, since now: Duration) -> Waiting {
        let milliseconds =
            WallTime.now.millisecondsSince1970 - message.time.millisecondsSince1970
        return Waiting(start: now, earlier: max(.zero, .milliseconds(milliseconds)))
    }

    /// Sends messages no more that have waited for a day.
    private func giveUp(_ numbers: Set<Int64>) async throws {
        guard !numbers.isEmpty else { return }
        try await store.fail(numbers.sorted())
        for number in numbers.sorted() {
            guard let message = try await store.message(number), message.status == .failed else {
                continue
            }
            let what = "message \(message.messageID) to \(message.contact)"
            let cause = RelayError(.timedOut, "\(what) was not acknowledged for a day")
            await node.reportFailure(of: message.messageID, to: message.contact, cause)
        }
    }

    /// Deletes what is more, or older, than the store keeps.
    private func trim() async {
        do {
            try await store.trim(at: .now)
        } catch {
            logger.error("deleting old messages failed: \(error)")
        }
    }

    /// The first of each contact, then the second, and so on.
    private static func inTurn(_ waiting: [WaitingMessage]) -> [Int64] {
        var counts: [Int64: Int] = [:]
        let turns = waiting.map { message in
            counts[message.contact, default: 0] += 1
            return (counts[message.contact, default: 0], message.number)
        }
        return turns.sorted { $0 < $1 }.map(\.1)
    }

    /// Sends as much of it as neighbours take at once.
    ///
    /// - Returns: whether that was so much that the next has to wait.
    private func sendDue() async -> Bool {
        var count = 0
        while count < Self.resendingCount, !due.isEmpty {
            let number = due.removeFirst()
            do {
                // It may have come meanwhile, or been deleted.
                guard let message = try await store.message(number), message.status == .sent
                else { continue }
                await send(message)
                count += 1
            } catch {
                logger.error("sending message \(number) of the store failed: \(error)")
            }
        }
        return count == Self.resendingCount
    }

    /// Sends a message that is kept; should that fail now, it waits, unless it does not fit.
    private func send(_ message: StoredRelayMessage) async {
        do {
            try await node.send(message.text, to: message.contact, id: message.messageID)
        } catch let error as RelayError where error.code == .tooLong {
            await giveUp(message, error)
        } catch {
            await node.expectReceipt(of: message.messageID, from: message.contact)
            logger.info("message \(message.messageID) waits: \(error)")
        }
    }

    /// Sends a message no more; who has got it before can still say so.
    private func giveUp(_ message: StoredRelayMessage, _ cause: RelayError) async {
        do {
            try await store.fail([message.number])
        } catch {
            logger.error("giving up message \(message.messageID) failed: \(error)")
        }
        await node.expectReceipt(of: message.messageID, from: message.contact)
        await node.reportFailure(of: message.messageID, to: message.contact, cause)
    }
}
