internal import BLE
internal import BLESession
public import BlueChat
internal import BlueChatStore
internal import Logging

// Calling others: for the user, and for what waits.
extension ChatAccount {
    /// Calls somebody, unless a chat with them is on.
    ///
    /// Calls are made one after the other, in their order.
    ///
    /// - Parameter person: who; a friend has to be near.
    /// - Returns: the chat.
    ///   A stranger is asked to be a friend by it.
    /// - Throws: `ChatError` as `Messenger.call(_:)` does, with `busy` also when 1,024 calls wait; `notFound` when a friend is not near, or
    ///   when somebody else of that name answers; `CancellationError`.
    public func call(_ person: ChatPerson.ID) async throws -> Chat {
        guard let turn = callTurns.join() else {
            throw ChatError(.busy, "nobody was called: \(Turns.maximumWaitingCount) calls wait")
        }
        let result: Result<Chat, any Error>
        do {
            // One call at a time; those for what waits come after the user's.
            try await turn.begin()
            while let calling { await calling.value }
            let chat = try await callNow(person)
            // It goes on when what waited is delivered.
            deliveries.removeValue(forKey: friend(of: chat))??.cancel()
            result = .success(chat)
        } catch {
            result = .failure(error)
        }
        callTurns.end(turn)
        await callWaiting()
        return try result.get()
    }

    private func callNow(_ person: ChatPerson.ID) async throws -> Chat {
        switch person {
        case .nearby(let peer):
            if let friend = knownPeers[peer], let chat = chats[friend] { return chat }
            let chat = try await messenger.call(peer)
            // Whoever is called is asked; also before the event that tells of the chat was handled.
            let friend = friend(of: chat)
            if case .address = friend { try await keepCalled(chat, friend) }
            if try await store.friend(friend)?.state == .requestReceived,
                try await isAccepted(by: chat, friend)
            {
                // An original has no way to confirm that it is a friend, as its app asks nobody.
                try await store.setState(chat.key == nil ? .confirmed : .requested, of: friend)
            }
            return chat
        case .friend(let friend):
            if let chat = chats[friend] { return chat }
            let candidates = try await devices(of: friend)
            guard !candidates.isEmpty else {
                let name = try await store.friend(friend)?.name ?? "\(friend)"
                throw ChatError(.notFound, "'\(name)' is not near")
            }
            return try await call(friend, at: candidates)
        }
    }

    /// Keeps who an original is, also when no more strangers may ask.
    private func keepCalled(_ chat: Chat, _ friend: FriendID) async throws {
        do {
            try await keepOriginal(chat)
        } catch let error as ChatStoreError where error.code == .limitReached {
            try await store.addFriend(friend, toldName: chat.title, state: .confirmed)
        }
    }

    /// Whether the user's call makes a friend of who wants to be one: whoever has said something before is to be answered.
    private func isAccepted(by chat: Chat, _ friend: FriendID) async throws -> Bool {
        // An original that is called may have said something already.
        if chat.key == nil, chat.origin == .outgoing { return true }
        return try await store.messages(with: friend, count: 1).messages.isEmpty
    }

    private func call(_ friend: FriendID, at candidates: [NearbyChatter]) async throws -> Chat {
        var failure: (any Error)?
        for candidate in candidates {
            do {
                let last = await messenger.lastChatNumber
                let chat = try await messenger.call(candidate.id, whoeverItIs: false)
                // The event may come later.
                if self.friend(of: chat) == friend { return chat }
                failure = ChatError(
                    .notFound,
                    "'\(candidate.name)' is somebody else: another key than the friend's"
                )
                // It may have been on before, or be their call.
                guard chat.origin == .outgoing, chat.id > last else { continue }
                if try await store.waitingCounts()[self.friend(of: chat)] == nil {
                    await chat.leave()
                } else {
                    await endWhenIdle(chat)
                }
            } catch let error as ChatError where error.code != .busy {
                failure = error
            }
        }
        throw failure ?? ChatError(.notFound, "nobody was called")
    }

    /// Where a friend may be called: their device, or else those of their name that are nobody else's; the nearest first.
    func devices(of friend: FriendID) async throws -> [NearbyChatter] {
        guard let known = try await store.friend(friend) else { return [] }
        return devices(of: known, among: await messenger.nearby)
    }

    func devices(of friend: Friend, among nearby: [NearbyChatter]) -> [NearbyChatter] {
        let theirs = nearby.filter { knownPeers[$0.id] == friend.id }
        guard theirs.isEmpty else { return theirs }
        let name: String
        if case .address(let address) = friend.id { name = address } else { name = friend.toldName }
        // A name is cut where an advertisement has no room for it.
        let cut = (try? ChatName(name))?.advertised
        return nearby.filter { knownPeers[$0.id] == nil && ($0.name == name || $0.name == cut) }
            .sorted { $0.rssi > $1.rssi }
    }

    // MARK: - For what waits

    /// Calls the next friend who is near and for whom messages wait; with originals that is left to the user.
    func callWaiting() async {
        guard isServing, calling == nil, callTurns.count == 0 else { return }
        do {
            let counts = try await store.waitingCounts()
            guard !counts.isEmpty else { return }
            let nearby = await messenger.nearby.filter { resting[$0.id] == nil }
            for friend in try await store.friends() where counts[friend.id] != nil {
                guard case .key = friend.id, friend.state != .blocked, chats[friend.id] == nil
                else { continue }
                let candidates = devices(of: friend, among: nearby)
                guard !candidates.isEmpty, isServing, calling == nil, callTurns.count == 0
                else { continue }
                calling = Task { await deliver(to: friend.id, at: candidates) }
                return
            }
        } catch let error as ChatStoreError {
            streams.send(.notKept(error))
        } catch {
            logger.error("\(error)")
        }
    }

    private func deliver(to friend: FriendID, at candidates: [NearbyChatter]) async {
        do {
            let chat = try await call(friend, at: candidates)
            await endWhenIdle(chat)
        } catch is CancellationError {
            // It was stopped.
        } catch {
            let failure = error as? ChatError ?? ChatError(.failed, "\(error)")
            logger.info("calling \(friend) failed: \(failure)")
            if failure.code == .notReady {
                // They are called when this end can be called itself.
                calling = nil
                return
            }
            streams.send(.callFailed(friend, failure))
            for candidate in candidates { rest(candidate.id) }
        }
        calling = nil
        if !Task.isCancelled { await callWaiting() }
    }

    private func rest(_ peer: PeerID) {
        resting[peer]?.cancel()
        resting[peer] = Task { [clock] in
            guard (try? await clock.sleep(for: Self.retryPause)) != nil else { return }
            resting[peer] = nil
            await callWaiting()
        }
    }

    /// A chat has begun for what waits, and ends when nothing was said in it for a while.
    private func endWhenIdle(_ chat: Chat) async {
        let friend = friend(of: chat)
        if deliveries[friend] == nil { deliveries[friend] = .some(nil) }
        await delayEnd(of: chat)
    }

    /// A chat that began for what waited goes on for a while when something is said in it.
    func delayEnd(of chat: Chat) async {
        let friend = friend(of: chat)
        guard let task = deliveries[friend] else { return }
        task?.cancel()
        deliveries[friend] = Task { [clock] in
            guard (try? await clock.sleep(for: Self.idlePause)) != nil else { return }
            deliveries[friend] = nil
            await chat.leave()
        }
    }
}
