internal import DequeModule

/// One end of a conversation with somebody: messages and receipts, over sessions that may end at any time.
///
/// Messages are sent in order until the other end has confirmed them, again in each session. The other end drops what it
/// has, so that each message arrives once, in order.
struct Conversation: Sendable {
    /// What has happened.
    enum Event: Sendable {
        /// The other end keeps a message.
        case delivered(MessageID)
        /// The other end cannot take a message.
        case refused(MessageID)
        /// The other end's user has read these.
        case read([MessageID])
        /// A message has come: ``confirm(_:)`` it when it is kept.
        case received(ChatMessage)
        /// A message has come that cannot be taken.
        case failedToReceive(MessageID, ChatError)
        /// The other end's user types, or has stopped.
        case typing(Bool)
        /// The other end has this name now.
        case renamed(String)
        /// The other end has left.
        case left
    }

    /// How many messages may wait here.
    static let maximumWaitingCount = 1_024
    /// How many are sent before one has to be confirmed.
    static let maximumUnconfirmedCount = 32
    /// How many messages are remembered, so that none is taken twice.
    static let maximumKnownCount = 4_096

    private struct Outgoing {
        let message: ChatMessage
        /// Whether it was sent, in whatever session.
        var wasSent = false
    }

    private var outbox: Deque<Outgoing> = []
    /// How many of the outbox were sent in this session.
    private var sentCount = 0
    /// The message after those, and how many of its bytes were sent.
    private var sending: (bytes: [UInt8], count: Int)?
    /// Confirmed, and not read as far as is known; the oldest first.
    private var unread: Deque<MessageID> = []

    /// Which messages have come, and whether they were confirmed.
    private var known: [MessageID: Bool] = [:]
    private var knownOrder: Deque<MessageID> = []
    private var unconfirmedCount = 0
    private var receipts: Deque<Record> = []

    private var lastRead: MessageID?
    private var pendingRead: MessageID?
    private var pendingTyping: Bool?
    private var pendingName: String?
    private var isLeaving = false
    private var sent: [MessageID] = []

    /// Creates a conversation without a session.
    ///
    /// - Parameter history: what there is of earlier ones.
    init(_ history: ChatHistory = ChatHistory()) {
        // They may have been sent by who had this conversation before.
        outbox = Deque(
            history.waiting.prefix(Self.maximumWaitingCount).map {
                Outgoing(message: $0, wasSent: true)
            }
        )
        unread = Deque(history.unread.suffix(Self.maximumKnownCount))
        lastRead = history.lastRead
        for id in history.received.suffix(Self.maximumKnownCount) {
            known[id] = true
            knownOrder.append(id)
        }
    }

    /// Messages that were not confirmed, the oldest first.
    var waiting: [ChatMessage] { outbox.map(\.message) }

    /// Whether there is something to send.
    var hasRecord: Bool {
        !receipts.isEmpty || pendingRead != nil || pendingTyping != nil || pendingName != nil
            || isLeaving || canSendMessage
    }

    private var canSendMessage: Bool {
        sentCount < min(outbox.count, Self.maximumUnconfirmedCount)
    }

    // MARK: - What this end does

    /// Sends a message after those before; one that waits already keeps its place.
    ///
    /// - Throws: ``ChatError`` with ``ChatError/Code/full`` when too many wait.
    mutating func send(_ message: ChatMessage) throws(ChatError) {
        guard !outbox.contains(where: { $0.message.id == message.id }) else { return }
        guard outbox.count < Self.maximumWaitingCount else {
            throw ChatError(
                .full,
                "the message was not taken: \(outbox.count) wait to be delivered already"
            )
        }
        outbox.append(Outgoing(message: message))
    }

    /// Tells the other end that a message is kept; it is not sent again.
    mutating func confirm(_ id: MessageID) {
        guard known[id] == false else { return }
        known[id] = true
        unconfirmedCount -= 1
        receipts.append(.delivered(id))
    }

    /// Tells the other end that a message is not taken; it is not to send it again.
    mutating func refuse(_ id: MessageID) {
        guard known[id] == false else { return }
        // Should it come again, it is refused again.
        forget(id)
        receipts.append(.refused(id))
    }

    /// Takes a message again that was not kept.
    mutating func forget(_ id: MessageID) {
        guard known[id] == false else { return }
        known[id] = nil
        knownOrder.removeAll { $0 == id }
        unconfirmedCount -= 1
    }

    /// Tells the other end that a message, and all before, have been read.
    mutating func markRead(_ id: MessageID) {
        lastRead = id
        pendingRead = id
    }

    /// Tells the other end that somebody types, or has stopped.
    mutating func setTyping(_ isTyping: Bool) { pendingTyping = isTyping }

    /// Tells the other end a name.
    mutating func setName(_ name: String) { pendingName = name }

    /// Tells the other end, after all else that is sent in this session, that this one leaves.
    mutating func leave() { isLeaving = true }

    // MARK: - Sessions

    /// A session has begun: what was not confirmed is sent again.
    mutating func beginSession() {
        endSession()
        pendingRead = lastRead
    }

    /// The session is over.
    mutating func endSession() {
        sentCount = 0
        sending = nil
        // What was not confirmed to the other end comes again, and is confirmed then.
        receipts = []
        pendingTyping = nil
        isLeaving = false
    }

    /// What is to be sent next, if something is.
    ///
    /// Receipts come before messages, so that they need not wait for a long one.
    mutating func nextRecord() -> Record? {
        if let receipt = receipts.popFirst() { return receipt }
        if let id = pendingRead.take() { return .read(id) }
        if let name = pendingName.take() { return .name(name) }
        if canSendMessage { return nextPart() }
        if let isTyping = pendingTyping.take() { return .typing(isTyping) }
        guard isLeaving else { return nil }
        isLeaving = false
        return .leave
    }

    /// The messages of which the last part was handed to the session since this was called before.
    mutating func takeSent() -> [MessageID] {
        defer { sent = [] }
        return sent
    }

    private mutating func nextPart() -> Record {
        let message = outbox[sentCount].message
        let (bytes, count) = sending ?? (message.encoded, 0)
        let part = Array(bytes[count...].prefix(Record.maximumPartByteCount))
        let record: Record =
            count == 0 ? .begin(message.id, byteCount: bytes.count, part) : .more(part)
        outbox[sentCount].wasSent = true
        guard count + part.count == bytes.count else {
            sending = (bytes, count + part.count)
            return record
        }
        sending = nil
        sentCount += 1
        sent.append(message.id)
        return record
    }

    // MARK: - What the other end says

    /// Takes a record.
    ///
    /// - Parameters:
    ///   - record: it may come over a session that was replaced: each has the order of messages.
    ///   - assembly: that of the session.
    /// - Returns: what has happened.
    /// - Throws: ``ProtocolViolation``: the session is to be ended.
    mutating func receive(
        _ record: Record,
        _ assembly: inout MessageAssembly
    ) throws(ProtocolViolation) -> [Event] {
        switch record {
        case .begin, .more:
            guard let message = try assembly.receive(record) else { return [] }
            return try receive(message)
        case .delivered(let id): return takeOut(id).map { [.delivered($0)] } ?? []
        case .refused(let id):
            guard let id = takeOut(id) else { return [] }
            unread.removeLast()
            return [.refused(id)]
        case .read(let id): return markUnreadAsRead(id)
        case .typing(let isTyping): return [.typing(isTyping)]
        case .name(let name): return [.renamed(name)]
        case .leave: return [.left]
        case .unknown: return []
        }
    }

    private mutating func receive(
        _ whole: MessageAssembly.Message
    ) throws(ProtocolViolation) -> [Event] {
        guard receipts.count < Self.maximumKnownCount,
            unconfirmedCount < 2 * Self.maximumUnconfirmedCount
        else { throw ProtocolViolation("more messages than may be sent unconfirmed") }
        switch known[whole.id] {
        // It is being kept, and confirmed then.
        case false?: return []
        case true?:
            receipts.append(.delivered(whole.id))
            return []
        case nil: break
        }
        do {
            let message = try ChatMessage(id: whole.id, whole.bytes)
            remember(whole.id)
            return [.received(message)]
        } catch {
            receipts.append(.refused(whole.id))
            return [.failedToReceive(whole.id, error)]
        }
    }

    private mutating func remember(_ id: MessageID) {
        known[id] = false
        unconfirmedCount += 1
        knownOrder.append(id)
        guard knownOrder.count > Self.maximumKnownCount, let oldest = knownOrder.popFirst()
        else { return }
        if known.removeValue(forKey: oldest) == false { unconfirmedCount -= 1 }
    }

    /// Stops sending a message, unless it does not wait, or was never sent.
    private mutating func takeOut(_ id: MessageID) -> MessageID? {
        guard let index = outbox.firstIndex(where: { $0.message.id == id }), outbox[index].wasSent
        else { return nil }
        outbox.remove(at: index)
        if index < sentCount {
            sentCount -= 1
        } else if index == sentCount {
            // Its end need not be sent: another message's beginning takes back what was.
            sending = nil
        }
        unread.append(id)
        if unread.count > Self.maximumKnownCount { unread.removeFirst() }
        return id
    }

    /// Whoever has read a message has it, and has read those before.
    private mutating func markUnreadAsRead(_ id: MessageID) -> [Event] {
        var events: [Event] = []
        if let index = outbox.firstIndex(where: { $0.message.id == id }),
            outbox[...index].allSatisfy(\.wasSent)
        {
            for message in outbox[...index].map(\.message.id) where takeOut(message) != nil {
                events.append(.delivered(message))
            }
        }
        guard let index = unread.firstIndex(of: id) else { return events }
        let read = Array(unread[...index])
        unread.removeFirst(index + 1)
        return events + [.read(read)]
    }
}
