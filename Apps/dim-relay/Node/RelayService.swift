import BLE
import BLEStorage
import MeshRelay
import RadioCLI
import RelayAccount

/// Does what commands ask for, with a store, and a node if there is one.
actor RelayService {
    private let store: RelayStore
    /// The node's; `nil` while there is none.
    private var account: RelayAccount?
    /// Whether it sends.
    private var hasStarted: Bool
    /// Whether a node is to run.
    private let isStarting: Bool
    /// Who changes contacts, and who reads them for an account, one after the other.
    private var turns = Turns()
    /// Commands that wait for the node.
    private var waiting: [Int: Promise<Void>] = [:]
    private var lastWait = 0

    /// - Parameters:
    ///   - store: where contacts and messages are.
    ///   - account: sends; `nil` while no node runs.
    ///   - isStarting: whether ``use(_:)`` and ``start()`` will say what sends.
    init(store: RelayStore, account: RelayAccount? = nil, isStarting: Bool = false) {
        self.store = store
        self.account = account
        hasStarted = account != nil
        self.isStarting = isStarting
    }

    /// Makes the account of a node that is to start, which learns from now on of contacts that change.
    ///
    /// - Parameter make: makes it of what is in the store.
    /// - Returns: the account.
    /// - Throws: what that throws.
    func use(_ make: @Sendable () async throws -> RelayAccount) async throws -> RelayAccount {
        let turn = try await beginTurn()
        defer { turns.end(turn) }
        let account = try await make()
        self.account = account
        return account
    }

    /// The node runs from now on.
    func start() {
        hasStarted = true
        for promise in waiting.values { promise.fulfil() }
    }

    private func beginTurn() async throws -> Turns.Turn {
        guard let turn = turns.join() else {
            throw RelayError(.busy, "too many commands change contacts")
        }
        do {
            try await turn.begin()
        } catch {
            turns.end(turn)
            throw error
        }
        return turn
    }

    /// What sends, once there is one.
    private func sender(within limit: Duration) async throws -> RelayAccount {
        if hasStarted, let account { return account }
        guard isStarting else {
            throw RelayError(.notReady, "no node runs with this store; start 'dim-relay node'")
        }
        lastWait += 1
        let (id, promise) = (lastWait, Promise<Void>())
        waiting[id] = promise
        defer { waiting[id] = nil }
        _ = try await withTimeLimit(limit, on: ContinuousClock()) { try await promise.wait() }
        guard hasStarted, let account else {
            throw RelayError(.notReady, "the node has no radio yet")
        }
        return account
    }

    /// Does it.
    ///
    /// - Parameters:
    ///   - request: what.
    ///   - reply: gets what comes of it, each as it comes.
    /// - Throws: `StoreError`, `RelayError`.
    func perform(
        _ request: ControlRequest,
        _ reply: @Sendable (ControlReply) async -> Void
    ) async throws {
        switch request {
        case .link(let name): await reply(try await link(name))
        case .add(let text, let replaces):
            let link = try RelayLink(text)
            try await add(link, replaces)
            await reply(.added(contact: "\(link.address)", fingerprint: link.key.fingerprint))
        case .contacts:
            for contact in try await store.contacts() { await reply(Self.reply(contact)) }
        case .verify(let name, let isVerified):
            let contact = try await contact(name)
            try await store.setVerified(contact.id, isVerified)
            await reply(Self.reply(try await self.contact("\(contact.id)")))
        case .remove(let name):
            let contact = try await contact(name)
            try await remove(contact.id)
            await reply(.removed(contact: "\(contact.id)"))
        case .send(let name, let texts, let seconds):
            try await send(texts, to: try await contact(name).id, .seconds(seconds), reply)
        case .resend(let name, let id, let seconds):
            let contact = try await contact(name).id
            guard let message = try await messages(of: id, with: contact).first(where: \.isOutgoing)
            else {
                throw RelayError(.unknownMessage, "message \(id) to \(contact) is none of yours")
            }
            try await send([message.text], to: contact, .seconds(seconds), reply)
        case .delete(let name, let id):
            let contact = try await contact(name).id
            for message in try await messages(of: id, with: contact) {
                try await store.delete(message.number)
            }
            await reply(.deleted(contact: "\(contact)", id: id))
        case .clear(let name):
            let contact = try await contact(name).id
            try await store.clear(contact)
            await reply(.cleared(contact: "\(contact)"))
        case .messages(let name, let count): try await messages(with: name, count, reply)
        case .who: try await who(reply)
        }
    }

    private func link(_ name: String?) async throws -> ControlReply {
        guard let address = try await store.address() else {
            throw RelayError(.invalidName, "this store has no name yet: say --name NAME")
        }
        if let name, name != address.name {
            throw RelayError(
                .invalidName,
                "the node that runs has the name '\(address.name)', and keeps it; end it before you take another one"
            )
        }
        let link = RelayLink(address: address, key: store.identity.key)
        return .link(
            address: "\(address)",
            link: "\(link)",
            fingerprint: link.key.fingerprint
        )
    }

    private func add(_ link: RelayLink, _ replaces: Bool) async throws {
        let turn = try await beginTurn()
        defer { turns.end(turn) }
        if let account { return try await account.add(link, replacingKey: replaces) }
        try await store.add(link, replacingKey: replaces)
    }

    private func remove(_ contact: RelayAddress) async throws {
        let turn = try await beginTurn()
        defer { turns.end(turn) }
        if let account { return try await account.remove(contact) }
        try await store.remove(contact)
    }

    /// The contact of an address, or of a name that one contact alone has.
    private func contact(_ name: String) async throws -> RelayContact {
        let contacts = try await store.contacts()
        if let contact = contacts.first(where: { $0.id.text == name }) { return contact }
        let named = contacts.filter { $0.id.name == name }
        guard let contact = named.first else {
            throw RelayError(.unknownContact, "'\(name)' is no contact")
        }
        guard named.count == 1 else {
            let addresses = named.map { "\($0.id)" }.joined(separator: " and ")
            throw RelayError(.unknownContact, "'\(name)' may be \(addresses): say which")
        }
        return contact
    }

    private static func reply(_ contact: RelayContact) -> ControlReply {
        .contact(
            address: "\(contact.id)",
            fingerprint: contact.link.key.fingerprint,
            isVerified: contact.isVerified,
            unreadCount: contact.unreadCount
        )
    }

    // MARK: - Messages

    /// The messages of a number, of which there is one or more.
    private func messages(
        of id: Int32,
        with contact: RelayAddress
    ) async throws -> [StoredRelayMessage] {
        let messages = try await store.messages(of: id, with: contact)
        guard !messages.isEmpty else {
            throw RelayError(.unknownMessage, "there is no message \(id) with \(contact)")
        }
        return messages
    }

    private func send(
        _ texts: [String],
        to contact: RelayAddress,
        _ limit: Duration,
        _ reply: @Sendable (ControlReply) async -> Void
    ) async throws {
        let elapsed = ContinuousClock().stopwatch()
        let account = try await sender(within: limit)
        let events = await account.events
        var waiting: Set<Int32> = []
        for text in texts {
            let message = try await account.send(text, to: contact)
            waiting.insert(message.messageID)
            await reply(.sent(contact: "\(contact)", id: message.messageID))
        }
        guard limit > .zero, !waiting.isEmpty else { return }
        let deliveries = AsyncThrowingStream<Int32, any Error>.makeStream()
        let listening = Task { [waiting] in
            var waiting = waiting
            for await event in events {
                if case .failed(let id, _, let error) = event, waiting.contains(id) {
                    deliveries.continuation.finish(throwing: error)
                }
                // What was read has come, though the receipt for that may be lost.
                let arrived: [Int32] =
                    switch event {
                    case .delivered(let id, contact): [id]
                    case .read(let ids, contact): ids
                    default: []
                    }
                for id in arrived where waiting.remove(id) != nil {
                    deliveries.continuation.yield(id)
                }
                if waiting.isEmpty { break }
            }
            deliveries.continuation.finish()
        }
        let ending = Task {
            // The time limit of the caller.
            try await Task.sleep(for: limit - elapsed())
            deliveries.continuation.finish()
        }
        defer {
            listening.cancel()
            ending.cancel()
        }
        for try await id in deliveries.stream {
            waiting.remove(id)
            await reply(.delivered(contact: "\(contact)", id: id))
        }
        try Task.checkCancellation()
        guard waiting.isEmpty else {
            throw RelayError(
                .timedOut,
                "\(waiting.count) of \(texts.count) messages to \(contact) were not acknowledged within \(limit): they wait "
                    + "for who comes near while 'dim-relay node' runs"
            )
        }
    }

    private func messages(
        with name: String,
        _ count: Int,
        _ reply: @Sendable (ControlReply) async -> Void
    ) async throws {
        let contact = try await contact(name).id
        let messages = try await store.messages(with: contact, count: count)
        for message in messages {
            await reply(
                .message(
                    .init(
                        contact: "\(contact)",
                        id: message.messageID,
                        isOutgoing: message.isOutgoing,
                        text: message.text,
                        milliseconds: message.time.millisecondsSince1970,
                        status: message.status.name
                    )
                )
            )
        }
        // Neither what was not shown, nor what nobody reads any more.
        try Task.checkCancellation()
        guard let first = messages.first, let last = messages.last else { return }
        let numbers = first.number...last.number
        if let account {
            try await account.markRead(contact, numbers: numbers)
        } else {
            _ = try await store.markRead(contact, numbers: numbers, sendingReceipts: false)
        }
    }

    // MARK: - The node

    private func who(_ reply: @Sendable (ControlReply) async -> Void) async throws {
        let account = try await sender(within: .zero)
        for neighbour in await account.node.neighbours {
            await reply(
                .neighbour(
                    device: "\(neighbour.id)",
                    name: neighbour.name,
                    rssi: neighbour.rssi.map { Int($0.rawValue) },
                    isHeard: neighbour.isHeard,
                    hears: neighbour.hears
                )
            )
        }
        await reply(.counters(await NodeCounters(account.node)))
    }
}

extension NodeCounters {
    init(_ node: RelayNode) async {
        let counters = await node.counters
        self.init(
            received: counters.received,
            delivered: counters.delivered,
            relayed: counters.relayed,
            originated: counters.originated,
            replayed: counters.replayed,
            unsent: Dictionary(
                uniqueKeysWithValues: counters.unsent.map { ($0.key.rawValue, $0.value) }
            ),
            dropped: Dictionary(
                uniqueKeysWithValues: counters.dropped.map { ($0.key.rawValue, $0.value) }
            ),
            ignored: Dictionary(
                uniqueKeysWithValues: counters.ignored.map { ($0.key.rawValue, $0.value) }
            ),
            queued: await node.queuedCount,
            neighbours: await node.neighbours.count
        )
    }
}
