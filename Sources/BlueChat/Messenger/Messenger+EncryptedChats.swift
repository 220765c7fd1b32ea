internal import BLE
internal import BLESession
internal import Glibc
internal import Logging

// Chats with others of this library: encrypted, several at once.
extension Messenger {
    /// How many others' conversations are remembered, so that nothing is lost or comes twice when they call again.
    static let maximumConversationCount = 256

    // MARK: - Sessions

    /// The other end of a session has shown its key.
    ///
    /// - Throws: ``ChatError``: the session is to be ended.
    func begin(
        _ id: SessionID,
        with key: ChatKey,
        _ name: String,
        _ peer: PeerID
    ) async throws(ChatError) -> Chat {
        // What the chat before has brought is still being kept; it ends then.
        while let record = encryptedChats[key], record.sessions.isEmpty {
            await waitForEnd(of: record.chat, with: key)
        }
        var knownName: String?
        if encryptedChats[key] == nil {
            var isCalled = false
            if case .caller = id { isCalled = calling == peer && wantsCalled }
            let known = try await conversation(with: key, name, isCalled: isCalled)
            guard let known else {
                throw ChatError(
                    .refused,
                    "the chat with '\(name)' did not begin: they are blocked, or too many who ask wait"
                )
            }
            // Another session may have begun it meanwhile.
            if encryptedChats[key] == nil { conversations[key] = known.0 }
            knownName = known.name
        }
        guard isEstablished(id, with: key) else {
            await forget(key)
            throw ChatError(.ended, "\(peer) has ended the chat as it began")
        }
        let chat: Chat
        if let record = encryptedChats[key] {
            chat = record.chat
        } else {
            let names = [knownName, name, records[peer]?.name].compactMap(\.self)
            var isOutgoing = false
            if case .caller = id { isOutgoing = true }
            chat = Chat(
                id: nextChatNumber(),
                peer: peer,
                name: names.first { !$0.isEmpty },
                origin: isOutgoing ? .outgoing : .incoming,
                key: key,
                messenger: self
            )
            encryptedChats[key] = EncryptedChat(chat: chat)
            rememberConversation(with: key)
            report(.began(chat))
        }
        encryptedChats[key]?.sessions.append(id)
        chooseSession(of: key)
        return chat
    }

    private func isEstablished(_ id: SessionID, with key: ChatKey) -> Bool {
        switch id {
        case .caller(let number): callerEnds[number]?.key == key
        case .callee(let central, let session): callingDevices[central]?.ends[session]?.key == key
        }
    }

    private func rememberConversation(with key: ChatKey) {
        conversationOrder.removeAll { $0 == key }
        conversationOrder.append(key)
        guard conversationOrder.count > Self.maximumConversationCount,
            let oldest = conversationOrder.firstIndex(where: { encryptedChats[$0] == nil })
        else { return }
        conversations[conversationOrder.remove(at: oldest)] = nil
    }

    /// Both ends prefer the sessions that the one with the lower key has begun, and of those the latest.
    private func chooseSession(of key: ChatKey) {
        guard let record = encryptedChats[key] else { return }
        let isLower = identity.key.bytes.lexicographicallyPrecedes(key.bytes)
        let preferred = record.sessions.last { id in
            if case .caller = id { isLower } else { !isLower }
        }
        let next = preferred ?? record.sessions.last
        guard next != record.active else { return }
        encryptedChats[key]?.active = next
        conversations[key]?.beginSession()
        sendRecords(to: key)
    }

    /// Lets a session go on that may have something to send.
    func sendRecords(to key: ChatKey) {
        switch encryptedChats[key]?.active {
        case .caller(let number)?: callerEnds[number]?.wakeUp.yield()
        case .callee(let central, _)?: notifyIfNeeded(central)
        case nil: break
        }
    }

    /// A session is over: the chat is, too, when it was the last one.
    ///
    /// - Parameters:
    ///   - id: which.
    ///   - error: why; `nil` when one of the two has left.
    func end(_ id: SessionID, _ error: ChatError?) {
        let key: ChatKey?
        switch id {
        case .caller(let number):
            guard let end = callerEnds.removeValue(forKey: number) else { return }
            key = end.key
            end.wakeUp.finish()
            end.established.fail(
                error ?? ChatError(.ended, "\(end.link.peer) has ended the chat as it began")
            )
            executor.task(of: self) { _ in await end.link.disconnect() }
        case .callee(let central, let number):
            guard let end = callingDevices[central]?.ends.removeValue(forKey: number) else {
                return
            }
            key = end.key
            end.deadline?.cancel()
            end.room?.fulfil()
            callingDevices[central]?.order.removeAll { $0 == number }
            if error == nil { expectDeparture(of: central) }
        }
        guard let key, encryptedChats[key] != nil else { return }
        encryptedChats[key]?.sessions.removeAll { $0 == id }
        encryptedChats[key]?.failure = error
        chooseSession(of: key)
        endChatIfOver(with: key)
    }

    /// A chat is over when it has no session any more, and all is dealt with that these have brought.
    func endChatIfOver(with key: ChatKey) {
        guard var record = encryptedChats[key], record.sessions.isEmpty, record.handlingCount == 0
        else { return }
        encryptedChats[key] = nil
        conversations[key]?.endSession()
        if archive != nil {
            conversations[key] = nil
            conversationOrder.removeAll { $0 == key }
        }
        let failure = record.isLeaving ? nil : record.failure
        let prospect = archive == nil ? "; the message is sent in the next one" : ""
        for delivery in record.deliveries.values {
            delivery.outcome.fail(
                ChatError(
                    .ended,
                    "the chat with \(record.chat.title) is over\(prospect)",
                    underlying: failure
                )
            )
        }
        report(.ended(record.chat, failure))
        record.ends.end()
    }

    // MARK: - Receiving

    /// Ends the chats that the other end has left, once what it said is dealt with.
    func endLeftChats() {
        for key in leftChats {
            for id in encryptedChats[key]?.sessions ?? [] { end(id, nil) }
        }
        leftChats = []
    }

    // MARK: - Sending

    func maximumByteCount(of chat: Chat, with key: ChatKey) -> Int? {
        encryptedChats[key]?.chat.id == chat.id ? ChatMessage.maximumTextByteCount : nil
    }

    /// Milliseconds since 1970 began, UTC.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    func send(_ message: ChatMessage, to key: ChatKey, in chat: Chat) async throws {
        try Task.checkCancellation()
        guard let record = encryptedChats[key], record.chat.id == chat.id, !record.isLeaving else {
            throw ChatError(.ended, "the message was not sent: the chat with \(chat.title) is over")
        }
        try conversations[key]?.send(message)
        let delivered = Promise<Void>()
        lastDeliveryNumber += 1
        let number = lastDeliveryNumber
        encryptedChats[key]?.deliveries[number] = EncryptedChat.Delivery(
            message: message.id,
            outcome: delivered
        )
        sendRecords(to: key)
        let limit = timeouts.sending + .milliseconds(message.encoded.count)
        let deadline = Deadline(after: limit, on: clock, of: self) { messenger in
            messenger.encryptedChats[key]?.deliveries[number] = nil
            let error = ChatError(
                .timedOut,
                "\(chat.title) did not confirm the message within \(limit.inUnits); it is sent on"
            )
            delivered.fail(error)
        }
        defer {
            deadline.cancel()
            encryptedChats[key]?.deliveries[number] = nil
        }
        try await delivered.wait()
    }

    /// Changes what the other end is told when there is room for it.
    func change(_ chat: Chat, _ change: (inout Conversation) -> Void) {
        guard let key = chat.key, let record = encryptedChats[key], record.chat.id == chat.id,
            var conversation = conversations.removeValue(forKey: key)
        else { return }
        change(&conversation)
        conversations[key] = conversation
        sendRecords(to: key)
    }

    // MARK: - The end

    func leave(_ chat: Chat, with key: ChatKey) async {
        guard let record = encryptedChats[key], record.chat.id == chat.id else { return }
        if !record.isLeaving {
            encryptedChats[key]?.isLeaving = true
            conversations[key]?.leave()
            sendRecords(to: key)
            executor.task(of: self) { await $0.endLater(chat, with: key) }
        }
        await Task { await waitForEnd(of: chat, with: key) }.value
    }

    /// Ends the chat itself when the other end takes long.
    private func endLater(_ chat: Chat, with key: ChatKey) async {
        _ = try? await withTimeLimit(timeouts.leaving, on: clock) {
            await self.waitForEnd(of: chat, with: key)
        }
        guard let record = encryptedChats[key], record.chat.id == chat.id else { return }
        for id in record.sessions {
            if case .callee(let central, _) = id, callingDevices[central]?.ends.count == 1 {
                disconnect(central)
            }
            end(id, nil)
        }
    }

    private func waitForEnd(of chat: Chat, with key: ChatKey) async {
        guard encryptedChats[key]?.chat.id == chat.id,
            let ending = encryptedChats[key]?.ends.add()
        else { return }
        do {
            for try await _ in ending {}
        } catch {
            // It never fails.
        }
    }
}
