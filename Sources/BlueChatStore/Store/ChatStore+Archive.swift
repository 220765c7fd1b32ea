internal import BLEStorage
public import BlueChat

/// A messenger that has the store as its archive keeps its encrypted chats there, and sends what waits.
///
/// ```swift
/// let messenger = Messenger(radio: adapter, name: name, identity: identity, archive: store)
/// ```
extension ChatStore: ChatArchive {
    /// Adds somebody who is no friend yet, as ``Friend/State/requestReceived``.
    ///
    /// Somebody with another key than a friend of that name has becomes a friend of their own, as ``changeKey(of:to:at:)``
    /// makes one. Who is known, and comes with a friend's name, keeps the one before.
    ///
    /// - Parameters:
    ///   - key: who.
    ///   - name: what they call themselves.
    ///   - isCalled: whether the user has called them.
    /// - Returns: what there is of earlier chats; `nil` for somebody who is blocked, or a stranger who was not called when
    ///   ``StoreLimits/requestCount`` of them wait for an answer.
    /// - Throws: ``ChatStoreError``.
    public func history(
        of key: ChatKey,
        named name: String,
        isCalled: Bool = false
    ) throws -> ChatHistory? {
        let id = FriendID.key(key)
        if let friend = try friend(id) {
            guard friend.state != .blocked else { return nil }
            try takeToldName(name, of: id)
            return try history(of: id)
        }
        let friends = try friends()
        let requests = friends.count { $0.state == .requestReceived }
        guard isCalled || requests < StoreLimits.requestCount else { return nil }
        let namesake = friends.last {
            $0.toldName == name && $0.state == .confirmed && $0.id.isKey
        }
        if let namesake {
            try changeKey(of: namesake.id, to: id)
        } else {
            try addFriend(id, toldName: name, state: .requestReceived, at: .now, isLimited: false)
        }
        return try history(of: id)
    }

    /// Removes a stranger who has said nothing.
    ///
    /// - Parameter key: who.
    /// - Throws: ``ChatStoreError``.
    public func chatDidNotBegin(with key: ChatKey) async throws { try removeStranger(.key(key)) }

    private func history(of friend: FriendID) throws -> ChatHistory {
        let (unread, received, lastRead) = try receipts(of: friend)
        return ChatHistory(
            name: try self.friend(friend)?.name,
            waiting: try unsentMessages(for: friend),
            unread: unread,
            received: received,
            lastRead: lastRead
        )
    }

    /// The messages that wait for somebody.
    ///
    /// - Parameter key: for whom.
    /// - Returns: up to 100 of them, the oldest first.
    /// - Throws: ``ChatStoreError``.
    public func waitingMessages(for key: ChatKey) throws -> [ChatMessage] {
        try unsentMessages(for: .key(key))
    }

    private func unsentMessages(for friend: FriendID) throws -> [ChatMessage] {
        let waiting = try waitingMessages(for: friend, count: StoreLimits.sendingCount)
        var messages: [ChatMessage] = []
        for message in waiting {
            do {
                messages.append(try content(of: message))
            } catch let error as ChatError {
                // What no chat takes is shown as such, and is not in the others' way.
                try setState(.failed(error.message), of: message.id, to: friend)
            }
        }
        if let last = waiting.last { try noteDeparture(through: last.number, to: friend) }
        return messages
    }

    private func content(of message: StoredMessage) throws -> ChatMessage {
        let content: ChatMessage.Content
        if let file = message.file {
            let bytes = try self.file(of: message.id, with: message.friend) ?? []
            content = .file(try ChatFile(name: file.name, bytes: bytes))
        } else {
            content = .text(message.text)
        }
        return try ChatMessage(content, time: message.sent.millisecondsSince1970, id: message.id)
    }

    /// Keeps a message that has come, or the change of one.
    ///
    /// Somebody who was asked to be a friend becomes one by it.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - key: whose.
    /// - Returns: whether it is kept now; refused is what somebody sends who is blocked, or is a stranger of whom as much is
    ///   kept as may be, and the change of a message that is not there, or not theirs.
    /// - Throws: ``ChatStoreError``.
    public func keep(
        _ message: ChatMessage,
        from key: ChatKey
    ) throws -> ChatArchiving {
        let id = FriendID.key(key)
        do {
            let archiving = try add(message, from: id)
            if try friend(id)?.state == .requested { try setState(.confirmed, of: id) }
            return archiving
        } catch let error as ChatStoreError {
            switch error.code {
            case .blocked, .tooLong, .limitReached, .noSuchMessage, .notTheAuthor, .deleted:
                return .refused
            default: throw error
            }
        }
    }

    private func add(
        _ message: ChatMessage,
        from friend: FriendID
    ) throws -> ChatArchiving {
        let sent = WallTime(millisecondsSince1970: message.time)
        let new: NewMessage
        switch message.content {
        case .text(let text): new = NewMessage(id: message.id, text: text, sent: sent)
        case .file(let file):
            let content = NewMessage.File(name: file.name, content: file.bytes)
            new = NewMessage(id: message.id, text: "", file: content, sent: sent)
        case .edit(let id, let text):
            try edit(id, with: friend, by: .incoming, to: text, at: sent)
            return .kept
        case .deletion(let id):
            try delete(id, with: friend, by: .incoming, at: sent)
            return .kept
        }
        switch try add(new, from: friend) {
        case .added: return .kept
        case .alreadyThere: return .known
        }
    }

    /// Keeps how far messages have come; one that is not there is passed over.
    ///
    /// - Parameters:
    ///   - receipt: which, and how far.
    ///   - key: for whom they were.
    /// - Throws: ``ChatStoreError``.
    public func keep(_ receipt: ChatReceipt, from key: ChatKey) throws {
        switch receipt {
        case .delivered(let id): try setState(.delivered, of: [id], to: .key(key))
        case .refused(let id): try setState(.failed("not accepted"), of: [id], to: .key(key))
        case .read(let ids): try setState(.read, of: ids, to: .key(key))
        }
    }
}
