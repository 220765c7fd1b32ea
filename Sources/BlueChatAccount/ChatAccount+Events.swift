internal import BLE
internal import BLESession
public import BlueChat
public import BlueChatStore
internal import Logging

// What happens to the messenger and the store.
extension ChatAccount {
    func handle(_ event: ChatEvent) async {
        do {
            try await keep(event)
        } catch let error as ChatStoreError where error.code == .blocked {
            // Nothing is said of what somebody says who is blocked, until the chat has ended.
            return
        } catch let error as ChatStoreError {
            streams.send(.notKept(error))
        } catch {
            logger.error("\(error)")
        }
        streams.send(.chat(event))
        switch event {
        case .discovered, .changed, .ended, .becameReady: await callWaiting()
        case .delivered(_, let chat), .receivedMessage(_, let chat): await delayEnd(of: chat)
        default: break
        }
    }

    func handle(_ change: StoreChange) async {
        streams.send(.store(change))
        switch change {
        case .messageAdded, .messagesChanged, .friend, .reload: await callWaiting()
        default: break
        }
    }

    /// Keeps what the store as the messenger's archive does not.
    private func keep(_ event: ChatEvent) async throws {
        switch event {
        case .began(let chat): try await begin(chat)
        case .received(let text, let chat):
            let friend = friend(of: chat)
            // More is known now of who writes.
            receivedCount += 1
            if postponed.contains(friend) { sendWaiting(in: chat) }
            _ = try await store.add(NewMessage(text: text), from: friend)
        case .renamed(let name, let chat):
            guard name.utf8.count <= StoreLimits.nameByteCount else { return }
            try await store.takeToldName(name, of: friend(of: chat))
        case .typing(let isTyping, let chat):
            let friend = friend(of: chat)
            if isTyping { typing.insert(friend) } else { typing.remove(friend) }
        case .receivedMessage(_, let chat): typing.remove(friend(of: chat))
        case .delivered(let id, _): try await carryOutChange(id)
        case .refused(let id, _): changes[id] = nil
        case .ended(let chat, _):
            let friend = friend(of: chat)
            guard chats[friend]?.id == chat.id else { return }
            chats[friend] = nil
            typing.remove(friend)
            // Nobody knows what became of those.
            changes = changes.filter { $0.value.friend != friend }
            // Its last text has an outcome now, or had one before.
            await sending.removeValue(forKey: friend)?.value
            postponed.remove(friend)
            deliveries.removeValue(forKey: friend)??.cancel()
            try await store.removeStranger(friend)
        default: break
        }
    }

    private func begin(_ chat: Chat) async throws {
        let friend = friend(of: chat)
        chats[friend] = chat
        remember(friend, at: chat.peer)
        guard case .address = friend else { return }
        do {
            guard try await keepOriginal(chat) != .blocked else { return leaveMeanwhile(chat) }
        } catch let error as ChatStoreError where error.code == .limitReached {
            // Whom the user has called is kept by the call.
            if chat.origin == .outgoing { return }
            leaveMeanwhile(chat)
            throw error
        }
        // Anybody may be unknown.
        if chat.name != nil { sendWaiting(in: chat) }
    }

    /// Leaves a chat while further events are dealt with, which takes as long as the other end likes, up to a limit.
    private func leaveMeanwhile(_ chat: Chat) {
        leaving[chat.id] = Task {
            await chat.leave()
            leaving[chat.id] = nil
        }
    }

    /// Keeps who an original is, unless it is known; a messenger's archive does that for others.
    ///
    /// - Returns: how far the friendship is.
    /// - Throws: `ChatStoreError`, with `limitReached` when as many ask already as may.
    @discardableResult
    func keepOriginal(_ chat: Chat) async throws -> Friend.State {
        let friend = friend(of: chat)
        if let known = try await store.friend(friend) { return known.state }
        do {
            // Also when this end has called: that may have been for a friend of the name.
            try await store.addFriend(friend, toldName: chat.title, state: .requestReceived)
        } catch let error as ChatStoreError where error.code == .friendExists {
            // The event and the call each keep it; whoever was first has.
        }
        return .requestReceived
    }

    /// Whose device it is, until the program ends.
    private func remember(_ friend: FriendID, at peer: PeerID) {
        knownPeerOrder.removeAll { $0 == peer }
        knownPeerOrder.append(peer)
        knownPeers[peer] = friend
        guard knownPeerOrder.count > Self.maximumKnownPeerCount else { return }
        knownPeers[knownPeerOrder.removeFirst()] = nil
    }

    /// Who the other end of a chat is to the store: by key; with an original, by name, or by device when that is unknown.
    ///
    /// - Parameter chat: a chat.
    /// - Returns: who.
    public nonisolated func friend(of chat: Chat) -> FriendID {
        chat.key.map { .key($0) } ?? .address(chat.name ?? "\(chat.peer)")
    }

    /// What the other end of a chat is called here: as the user has named them, else as the chat says.
    ///
    /// - Parameter chat: a chat.
    /// - Returns: the name; `nil` when it is not known, as that of an original that was never seen.
    /// - Throws: `ChatStoreError`.
    public func name(of chat: Chat) async throws -> String? {
        try await store.friend(friend(of: chat))?.givenName ?? chat.name
    }
}
