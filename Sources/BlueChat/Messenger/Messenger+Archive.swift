internal import BLE
internal import Logging

// What is kept beyond a chat, and comes from there.
extension Messenger {
    /// Takes what a session has brought: what is to be kept is, before anything is said of it.
    func handle(_ events: [Conversation.Event], from key: ChatKey) async {
        guard let chat = encryptedChats[key]?.chat else { return }
        encryptedChats[key]?.handlingCount += 1
        // Before the archive is waited for, which may be asked meanwhile for what waits.
        for event in events {
            switch event {
            case .delivered(let id), .refused(let id): encryptedChats[key]?.settled.insert(id)
            default: continue
            }
        }
        for event in events {
            switch event {
            case .received(let message): await keep(message, from: key, chat)
            case .failedToReceive(_, let error): report(.failedToReceive(error, chat))
            case .delivered(let id):
                await keep(.delivered(id), from: key)
                let calls = encryptedChats[key]?.takeDeliveries(of: id) ?? []
                for call in calls { call.fulfil() }
                report(.delivered(id, chat))
                if conversations[key]?.waiting.isEmpty == true { fetchMessages(for: key) }
            case .refused(let id):
                await keep(.refused(id), from: key)
                let error = ChatError(.refused, "\(chat.title) cannot take the message")
                let calls = encryptedChats[key]?.takeDeliveries(of: id) ?? []
                for call in calls { call.fail(error) }
                report(.refused(id, chat))
            case .read(let ids):
                await keep(.read(ids), from: key)
                report(.read(ids, chat))
            case .typing(let isTyping): report(.typing(isTyping, chat))
            case .renamed(let name): report(.renamed(name, chat))
            case .left:
                encryptedChats[key]?.isLeaving = true
                leftChats.insert(key)
            }
        }
        encryptedChats[key]?.handlingCount -= 1
        sendRecords(to: key)
        endLeftChats()
        endChatIfOver(with: key)
    }

    private func keep(_ message: ChatMessage, from key: ChatKey, _ chat: Chat) async {
        do {
            let archiving = try await archive?.keep(message, from: key) ?? .kept
            guard archiving != .refused else {
                conversations[key]?.refuse(message.id)
                return
            }
            if archiving == .kept { report(.receivedMessage(message, chat)) }
            conversations[key]?.confirm(message.id)
        } catch {
            conversations[key]?.forget(message.id)
            let error = ChatError(
                .notKept,
                "a message of \(chat.title)'s was not kept, and comes again in the next chat",
                underlying: error
            )
            report(.failedToReceive(error, chat))
        }
    }

    private func keep(_ receipt: ChatReceipt, from key: ChatKey) async {
        do {
            try await archive?.keep(receipt, from: key)
            switch receipt {
            case .delivered(let id), .refused(let id): encryptedChats[key]?.settled.remove(id)
            case .read: break
            }
        } catch {
            // It is sent again in the next chat, where the other end knows it.
            logger.warning("a receipt was not kept: \(error)")
        }
    }

    /// What there was of a conversation before, and what they are called here, if anything.
    ///
    /// - Returns: `nil` for somebody with whom the archive wants no chat.
    func conversation(
        with key: ChatKey,
        _ name: String,
        isCalled: Bool
    ) async throws(ChatError) -> (Conversation, name: String?)? {
        guard let archive else { return (conversations[key] ?? Conversation(), name: nil) }
        do {
            guard
                let history = try await archive.history(of: key, named: name, isCalled: isCalled)
            else { return nil }
            return (Conversation(history), name: history.name)
        } catch {
            throw ChatError(
                .notKept,
                "the chat with '\(name)' did not begin, as nothing of it could be kept",
                underlying: error
            )
        }
    }

    /// Tells the archive that somebody has gone before a chat began, unless one is on or is about to be.
    func forget(_ key: ChatKey) async {
        let ends = callingDevices.values.flatMap(\.ends.values)
        guard encryptedChats[key] == nil, !ends.contains(where: { $0.key == key }),
            !callerEnds.values.contains(where: { $0.key == key })
        else { return }
        do {
            try await archive?.chatDidNotBegin(with: key)
        } catch {
            logger.warning("a stranger who has gone is still kept: \(error)")
        }
    }

    /// Sends what the archive has for somebody, after what it had before, if a chat is on.
    ///
    /// To be called when the archive has a new message. Does nothing without an archive, or without a chat.
    ///
    /// - Parameter key: for whom.
    public func sendWaiting(to key: ChatKey) { fetchMessages(for: key) }

    /// One at a time, and once more when it was asked for meanwhile.
    private func fetchMessages(for key: ChatKey) {
        guard let archive, let fetch = encryptedChats[key]?.fetch else { return }
        encryptedChats[key]?.fetch = fetch == .none ? .underWay : .again
        guard fetch == .none else { return }
        executor.task(of: self) { messenger in
            let messages: [ChatMessage]
            do {
                messages = try await archive.waitingMessages(for: key)
            } catch {
                messages = []
                messenger.logger.warning("what waits could not be read: \(error)")
            }
            let mustRepeat = messenger.encryptedChats[key]?.fetch == .again
            messenger.encryptedChats[key]?.fetch = .none
            messenger.take(messages, for: key)
            if mustRepeat { messenger.fetchMessages(for: key) }
        }
    }

    private func take(_ messages: [ChatMessage], for key: ChatKey) {
        for message in messages where encryptedChats[key]?.settled.contains(message.id) == false {
            do {
                try conversations[key]?.send(message)
            } catch {
                // As many wait here as may; the rest comes when those are delivered.
                break
            }
        }
        sendRecords(to: key)
    }
}
