internal import BLE
internal import BLESession
internal import BLEStorage
public import BlueChat
public import BlueChatStore
internal import Logging

// What the user says.
extension ChatAccount {
    /// Sends a text to a friend: now if a chat is on, else when they are near.
    ///
    /// It is kept when this returns; ``ChatAccountEvent/store(_:)`` tells how far it comes. Who had asked to be a friend becomes
    /// one by it. With an original, a text goes when a chat with somebody of that name is on.
    ///
    /// - Parameters:
    ///   - text: 1 to 65,536 bytes of UTF-8; with an original, as many as the connection carries at once.
    ///   - friend: to whom.
    /// - Returns: the message.
    /// - Throws: `ChatError`: `empty`, `tooLong`; `ChatStoreError`: `noSuchFriend`, `blocked`,
    ///   `limitReached`.
    @discardableResult
    public func send(_ text: String, to friend: FriendID) async throws -> StoredMessage {
        // As a messenger takes it.
        _ = try ChatMessage(.text(text), time: 0)
        if case .address = friend, let chat = chats[friend],
            let limit = await chat.maximumByteCount,
            text.utf8.count > limit
        {
            throw ChatError(.tooLong, "the text has \(text.utf8.count) bytes; \(limit) fit")
        }
        return try await send(NewMessage(text: text), to: friend)
    }

    /// Sends a file to a friend of this library: now if a chat is on, else when they are near.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - friend: to whom.
    /// - Returns: the message.
    /// - Throws: `ChatError` with `notEncrypted` for an original; `ChatStoreError`.
    @discardableResult
    public func send(_ file: ChatFile, to friend: FriendID) async throws -> StoredMessage {
        guard case .key = friend else {
            throw ChatError(.notEncrypted, "the file was not sent: an original takes texts alone")
        }
        let content = NewMessage.File(name: file.name, content: file.bytes)
        return try await send(NewMessage(text: "", file: content), to: friend)
    }

    private func send(_ message: NewMessage, to friend: FriendID) async throws -> StoredMessage {
        let kept = try await store.add(message, to: friend).message
        if try await store.friend(friend)?.state == .requestReceived {
            try await store.setState(.confirmed, of: friend)
        }
        if case .key(let key) = friend {
            await messenger.sendWaiting(to: key)
        } else if let chat = chats[friend] {
            sendWaiting(in: chat)
        }
        return kept
    }

    /// Sends what waits for an original, one text after the other; a messenger does that itself with others.
    func sendWaiting(in chat: Chat) {
        let friend = friend(of: chat)
        let before = sending[friend]
        sending[friend] = Task {
            await before?.value
            await send(in: chat, friend)
        }
    }

    private func send(in chat: Chat, _ friend: FriendID) async {
        postponed.remove(friend)
        do {
            while !Task.isCancelled, chats[friend]?.id == chat.id,
                let message = try await store.waitingMessages(for: friend, count: 1).first
            {
                guard try await send(message, in: chat, friend) else { return }
            }
        } catch let error as ChatStoreError {
            streams.send(.notKept(error))
        } catch {
            logger.info("sending to \(chat.title) ended: \(error)")
        }
    }

    /// Sends a text to an original.
    ///
    /// - Returns: whether the next one can be sent; not when this one still waits.
    private func send(
        _ message: StoredMessage,
        in chat: Chat,
        _ friend: FriendID
    ) async throws -> Bool {
        var state = DeliveryState.failed(ChatStore.unknownArrival)
        // It may have arrived, and an original would show it twice: so it is sent by nobody who was not there before.
        if message.state == .waiting {
            try await store.setState(.sending, of: message.id, to: friend)
            let count = receivedCount
            do {
                try await chat.send(message.text)
                state = .delivered
            } catch let error as ChatError where error.isPostponed {
                let isOutdated = receivedCount != count
                if !isOutdated { postponed.insert(friend) }
                try await store.postpone(message.id, to: friend)
                if !isOutdated { streams.send(.postponed(message.id, friend, error)) }
                return isOutdated
            } catch let error as ChatError where error.code == .notConfirmed {
                // No more is known of a text to an original while others are connected.
                state = .sent
            } catch let error as ChatError {
                state = .failed("\(error)")
            } catch {
                // The program ends.
            }
        }
        try await store.setState(state, of: message.id, to: friend)
        return true
    }

    /// Sends a text to a friend, and waits until it has arrived.
    ///
    /// - Parameters:
    ///   - text: as ``send(_:to:)-(String,_)`` takes it.
    ///   - friend: to whom; a chat is on.
    ///   - limit: how long it may take.
    /// - Returns: the message.
    /// - Throws: as ``send(_:to:)-(String,_)`` does; `ChatError` with `ended` when the chat ends before,
    ///   `timedOut`, and then it still waits; `notConfirmed` when it failed, or was sent and nobody is known to have confirmed it;
    ///   `CancellationError`.
    @discardableResult
    public func deliver(
        _ text: String,
        to friend: FriendID,
        within limit: Duration = .seconds(30)
    ) async throws -> StoredMessage {
        let events = events
        let id = try await send(text, to: friend).id
        return try await waitForDelivery(of: id, to: friend, within: limit, events)
    }

    /// Sends a file to a friend, and waits until it has arrived.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - friend: to whom; a chat is on.
    ///   - limit: how long it may take.
    /// - Returns: the message.
    /// - Throws: as ``send(_:to:)-(ChatFile,_)`` and ``deliver(_:to:within:)-(String,_,_)`` do.
    @discardableResult
    public func deliver(
        _ file: ChatFile,
        to friend: FriendID,
        within limit: Duration = .seconds(600)
    ) async throws -> StoredMessage {
        let events = events
        let id = try await send(file, to: friend).id
        return try await waitForDelivery(of: id, to: friend, within: limit, events)
    }

    private func waitForDelivery(
        of id: MessageID,
        to friend: FriendID,
        within limit: Duration,
        _ events: AsyncStream<ChatAccountEvent>
    ) async throws -> StoredMessage {
        let delivered = try await withTimeLimit(limit, on: clock) {
            if let message = try await self.delivered(id, to: friend) { return message }
            for await event in events {
                switch event {
                case .chat(.ended(let chat, let error)) where self.friend(of: chat) == friend:
                    if let message = try await self.delivered(id, to: friend) { return message }
                    throw ChatError(
                        .ended,
                        "the chat with \(chat.title) ended before the text had arrived; it waits",
                        underlying: error
                    )
                default:
                    if let message = try await self.delivered(id, to: friend) { return message }
                }
            }
            throw CancellationError()
        }
        guard let delivered else {
            throw ChatError(
                .timedOut,
                "the text was not confirmed within \(limit.inUnits); it waits"
            )
        }
        return delivered
    }

    private func delivered(_ id: MessageID, to friend: FriendID) async throws -> StoredMessage? {
        let message = try await store.message(id, with: friend)
        switch message?.state {
        case .delivered?, .read?: return message
        case .sent?:
            throw ChatError(.notConfirmed, "the text was sent, and \(ChatStore.unknownArrival)")
        case .failed(let reason)?: throw ChatError(.notConfirmed, reason)
        default: return nil
        }
    }

    /// Sends a message again that had failed.
    ///
    /// - Parameters:
    ///   - id: which.
    ///   - friend: to whom.
    /// - Throws: `ChatStoreError`.
    public func resend(_ id: MessageID, to friend: FriendID) async throws {
        guard try await store.resend(id, to: friend) else { return }
        if case .key(let key) = friend {
            await messenger.sendWaiting(to: key)
            await callWaiting()
        } else if let chat = chats[friend] {
            sendWaiting(in: chat)
        }
    }

    /// Changes the text of a message of the user's, at the other end and here, while a chat is on.
    ///
    /// One that waits and cannot have left is changed here at any time.
    ///
    /// - Parameters:
    ///   - id: which.
    ///   - text: the new text; `nil` takes the message back.
    ///   - friend: to whom it was.
    /// - Throws: `ChatError`: `empty`, `tooLong`, `ended` when no chat is on, `notConfirmed` when none is and the other end may
    ///   have a message that waits, `notEncrypted`, or as `Chat.send(_:)` does, with `timedOut`, and then it is changed here when it has arrived in this chat;
    ///   `ChatStoreError`.
    public func change(_ id: MessageID, to text: String?, with friend: FriendID) async throws {
        let message = try await store.message(id, with: friend)
        guard let message, message.direction == .outgoing else {
            throw ChatError(.failed, "the message cannot be changed: it is not the user's")
        }
        let content = text.map { ChatMessage.Content.edit(id, text: $0) } ?? .deletion(id)
        // A text that cannot be sent is none that a message could have, whether a chat is on or not.
        let sent = try ChatMessage(content, time: WallTime.now.millisecondsSince1970)
        let change = MessageChange(message: id, friend: friend, text: text)
        guard let chat = chats[friend] else {
            // Who cannot have it gets it as it is then.
            if try await store.changeUnsent(id, to: text, with: friend) { return }
            throw message.state == .waiting
                ? ChatError(
                    .notConfirmed,
                    "the message was not changed: it may have arrived already, and no chat is on"
                ) : ChatError(.ended, "the message was not changed: no chat is on")
        }
        changes[sent.id] = change
        do {
            try await chat.send(sent)
        } catch let error as ChatError where error.code != .timedOut {
            changes[sent.id] = nil
            throw error
        }
        try await carryOutChange(sent.id)
    }

    /// Carries a change out that the other end has, unless it is done.
    func carryOutChange(_ id: MessageID) async throws {
        guard let change = changes.removeValue(forKey: id) else { return }
        try await carryOut(change)
    }

    private func carryOut(_ change: MessageChange) async throws {
        let (id, friend) = (change.message, change.friend)
        if let text = change.text {
            try await store.edit(id, with: friend, by: .outgoing, to: text)
        } else {
            try await store.delete(id, with: friend, by: .outgoing)
        }
    }

    /// Marks a friend's messages as read, and says so to them.
    ///
    /// - Parameters:
    ///   - friend: whose.
    ///   - id: the last one that the user has seen; `nil` for all.
    /// - Throws: `ChatStoreError`.
    public func markRead(with friend: FriendID, through id: MessageID? = nil) async throws {
        var last: MessageID?
        var count = StoreLimits.readCount
        while count == StoreLimits.readCount {
            let read = try await store.markRead(with: friend, through: id)
            (last, count) = (read.last ?? last, read.count)
        }
        if let last, let chat = chats[friend], chat.key != nil { await chat.markRead(last) }
    }

    /// Tells a friend whether the user types, while a chat is on.
    ///
    /// - Parameters:
    ///   - isTyping: whether.
    ///   - friend: whom.
    public func setTyping(_ isTyping: Bool, to friend: FriendID) async {
        await chats[friend]?.setTyping(isTyping)
    }

    /// Leaves the chat with a friend, if one is on.
    ///
    /// - Parameter friend: with whom.
    public func leave(_ friend: FriendID) async { await chats[friend]?.leave() }

    /// Wants to hear nothing of a friend any more; a chat that is on is left.
    ///
    /// - Parameter friend: who.
    /// - Throws: `ChatStoreError`.
    public func block(_ friend: FriendID) async throws {
        try await store.setState(.blocked, of: friend)
        await leave(friend)
    }
}
