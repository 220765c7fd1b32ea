/// Keeps the messages of encrypted chats, beyond a chat and beyond the program.
///
/// A messenger that has one confirms a message to the other end only when it is kept, and takes what is to be sent from
/// it: what waits goes out when a chat begins, in order. While a function has not returned, the other end waits, and the chat
/// does not end.
public protocol ChatArchive: Sendable {
    /// Somebody has shown a key, and a chat with them is to begin.
    ///
    /// - Parameters:
    ///   - key: who.
    ///   - name: what they call themselves.
    ///   - isCalled: whether this end has called them by ``Messenger/call(_:)``: the user wants to chat with them, whoever they are.
    /// - Returns: what is there of earlier chats; `nil` for somebody who is blocked, or for whom there is no room, and then no
    ///   chat begins.
    /// - Throws: why there is nothing to be had; then no chat begins either.
    func history(
        of key: ChatKey,
        named name: String,
        isCalled: Bool
    ) async throws -> ChatHistory?

    /// The other end has gone before the chat began for which ``history(of:named:isCalled:)`` was asked.
    ///
    /// - Parameter key: who.
    /// - Throws: why nothing could be done about it.
    func chatDidNotBegin(with key: ChatKey) async throws

    /// The messages for somebody that were not delivered.
    ///
    /// - Parameter key: for whom.
    /// - Returns: some of them, the oldest first; those that were returned before are known by their identifiers.
    /// - Throws: why they are not to be had.
    func waitingMessages(for key: ChatKey) async throws -> [ChatMessage]

    /// A message has come.
    ///
    /// - Parameters:
    ///   - message: a message; a change of another one is to be dropped unless both have the same author.
    ///   - key: whose.
    /// - Returns: whether it is kept now.
    /// - Throws: why it is not; it is not confirmed then, and comes again in the next chat.
    func keep(_ message: ChatMessage, from key: ChatKey) async throws -> ChatArchiving

    /// A message of this end has come further.
    ///
    /// - Parameters:
    ///   - receipt: which, and how far.
    ///   - key: for whom it was.
    /// - Throws: why that is not kept; the message is not sent again before the next chat.
    func keep(_ receipt: ChatReceipt, from key: ChatKey) async throws
}

extension ChatArchive {
    /// Does nothing.
    public func chatDidNotBegin(with key: ChatKey) async throws {}
}

/// What an archive has done with a message.
public enum ChatArchiving: Hashable, Sendable {
    /// It is kept.
    case kept
    /// It was there already.
    case known
    /// It is not wanted: the other end is told, and does not send it again.
    case refused
}

/// What an end of a chat says about messages of the other one.
public enum ChatReceipt: Hashable, Sendable {
    /// It has it.
    case delivered(MessageID)
    /// It does not take it.
    case refused(MessageID)
    /// Its user has read these, the oldest first.
    case read([MessageID])
}

/// What there is of earlier chats with somebody.
public struct ChatHistory: Hashable, Sendable {
    /// What they are called here; `nil` for what they call themselves.
    public var name: String?
    /// Messages for them that were not delivered, the oldest first.
    public var waiting: [ChatMessage]
    /// Messages that they have and have not read, the oldest first.
    public var unread: [MessageID]
    /// Messages of theirs, the oldest first; the last 4,096 are enough.
    public var received: [MessageID]
    /// The last message of theirs that the user here has read.
    public var lastRead: MessageID?

    /// Creates a history.
    ///
    /// - Parameters:
    ///   - name: what they are called here.
    ///   - waiting: messages for them that were not delivered, the oldest first.
    ///   - unread: messages that they have and have not read, the oldest first.
    ///   - received: messages of theirs, the oldest first.
    ///   - lastRead: the last one of theirs that was read.
    public init(
        name: String? = nil,
        waiting: [ChatMessage] = [],
        unread: [MessageID] = [],
        received: [MessageID] = [],
        lastRead: MessageID? = nil
    ) {
        self.name = name
        self.waiting = waiting
        self.unread = unread
        self.received = received
        self.lastRead = lastRead
    }
}
