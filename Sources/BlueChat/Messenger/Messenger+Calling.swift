public import BLE
internal import BLESession

// Calling others.
extension Messenger {
    /// Calls somebody: connects, and subscribes to what is needed, as the original does.
    ///
    /// When the other end calls at the same moment, one chat comes of both calls. Whoever has just left an encrypted chat is called
    /// when it has ended the connection, or after ``ChatTimeouts/departure``.
    ///
    /// - Parameter peer: whom.
    /// - Returns: the chat; the one that is on, if it is with the same peer.
    /// - Throws: ``ChatError``: ``ChatError/Code/notReady``, ``ChatError/Code/busy``, ``ChatError/Code/notFound``,
    ///   ``ChatError/Code/connectionFailed``, ``ChatError/Code/notAChatter``, ``ChatError/Code/timedOut``,
    ///   ``ChatError/Code/bluetoothOff``; `CancellationError`.
    public func call(_ peer: PeerID) async throws -> Chat {
        try await call(peer, whoeverItIs: true)
    }

    /// Calls somebody, as ``call(_:)`` does.
    ///
    /// - Parameters:
    ///   - peer: whom.
    ///   - isAnybody: whether the user wants to chat with them, whoever they are; else somebody is expected.
    /// - Returns: the chat.
    /// - Throws: as ``call(_:)``.
    package func call(_ peer: PeerID, whoeverItIs isAnybody: Bool) async throws -> Chat {
        if let chat = chatting?.chat, chat.peer == peer, chatting?.isLeaving == false {
            return chat
        }
        if let chat = calledChat(with: peer) { return chat }
        guard isReady else {
            throw ChatError(.notReady, "\(peer) was not called: the messenger is not ready")
        }
        guard chatting == nil, calling == nil else {
            throw ChatError(
                .busy,
                "\(peer) was not called: \(chatting == nil ? "a call" : "a chat") is on"
            )
        }
        (calling, wantsCalled) = (peer, isAnybody)
        carryOut(callee.handle(.calls(peer)))
        do {
            try await waitForDeparture(of: peer)
            let (link, hasSessions) = try await connect(to: peer)
            guard !hasSessions else {
                let chat = try await beginChat(over: link)
                calling = nil
                carryOut(callee.handle(.calls(nil)))
                return chat
            }
            let mtuBytes = await link.mtuBytes
            calling = nil
            return try begin(over: link, mtuBytes)
        } catch {
            calling = nil
            carryOut(callee.handle(.calls(nil)))
            // Whoever was called has called meanwhile, and that has gone through.
            let encrypted = encryptedChats.values.filter { !$0.sessions.isEmpty }.map(\.chat)
            let chats = [chatting?.chat].compactMap(\.self) + encrypted
            if !(error is CancellationError), let chat = chats.first(where: { $0.peer == peer }) {
                return chat
            }
            throw error
        }
    }

    /// An encrypted chat that this end has begun.
    private func calledChat(with peer: PeerID) -> Chat? {
        encryptedChats.values.first { record in
            !record.isLeaving
                && record.sessions.contains { id in
                    guard case .caller(let number) = id else { return false }
                    return callerEnds[number]?.link.peer == peer
                }
        }?.chat
    }

    private func connect(to peer: PeerID) async throws -> (any Link, hasSessions: Bool) {
        let search = PeripheralSearch(
            service: ChatService.uuid,
            peer: peer,
            limit: timeouts.connection
        )
        do {
            // What the callee lacks is known before the connection has ended.
            let link = try await withTimeLimit(timeouts.connection, on: clock, keepsErrors: true) {
                [radio, clock, isOriginal] in
                try await search.link(over: radio, on: clock, where: ChatService.isCallee) {
                    ($0, hasSessions: try await Self.subscribe($0, $1, isOriginal))
                }
            }
            guard let link else {
                let isSeen = search.found != nil || search.lastError?.code != .unknownPeer
                throw ChatError(
                    isSeen ? .timedOut : .notFound,
                    "\(called(peer)) \(isSeen ? "did not answer" : "was not found") within "
                        + "\(timeouts.connection.inUnits)",
                    underlying: isSeen ? search.lastError : nil
                )
            }
            return link
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw ChatError("calling \(called(peer))", failedWith: error)
        }
    }

    private func called(_ peer: PeerID) -> String {
        records[peer].map { "'\($0.name)'" } ?? "\(peer)"
    }

    /// Subscribes to both, in the order of the original; or to what others of this library have.
    ///
    /// - Returns: whether the callee is of this library.
    private static func subscribe(
        _ link: any Link,
        _ services: [GATTService],
        _ isOriginal: Bool
    ) async throws -> Bool {
        if !isOriginal, ChatService.hasSessions(services) {
            try await link.subscribe(to: ChatService.fromCallee)
            return true
        }
        if let missing = ChatService.missing(in: services) {
            throw ChatError(.notAChatter, "\(link.peer) has no usable \(missing)")
        }
        try await link.subscribe(to: ChatService.toCaller)
        try await link.subscribe(to: ChatService.leaving)
        return false
    }

    /// An encrypted chat, unless the messenger is stopped meanwhile.
    private func beginChat(over link: any Link) async throws -> Chat {
        try checkServing(link)
        let chat = try await beginSession(over: link)
        do {
            try checkServing(link)
        } catch {
            await chat.leave()
            throw error
        }
        return chat
    }

    /// Ends a link that was made, if it is of no use any more.
    private func checkServing(_ link: any Link) throws {
        guard publication == nil || Task.isCancelled else { return }
        executor.task(of: self) { _ in await link.disconnect() }
        try Task.checkCancellation()
        throw ChatError(.notReady, "\(called(link.peer)) was called, but the messenger ended")
    }

    private func begin(over link: any Link, _ mtuBytes: Int) throws -> Chat {
        try checkServing(link)
        guard let chat = chatting?.chat, chat.peer == link.peer else {
            return begin(link.peer, .outgoing, over: link, mtuBytes)
        }
        chatting?.link = link
        chatting?.linkMTUBytes = mtuBytes
        executor.task(of: self) { await $0.receive(over: link, chat) }
        return chat
    }

    func begin(
        _ peer: PeerID,
        _ origin: Chat.Origin,
        over link: (any Link)?,
        _ mtuBytes: Int = 23
    ) -> Chat {
        let chat = Chat(
            id: nextChatNumber(),
            peer: peer,
            name: records[peer]?.name,
            origin: origin,
            messenger: self
        )
        chatting = ChatRecord(
            chat: chat,
            link: link,
            isCallee: callee.caller == peer,
            linkMTUBytes: mtuBytes
        )
        changeAdvertising()
        report(.began(chat))
        if let link { executor.task(of: self) { await $0.receive(over: link, chat) } }
        return chat
    }

    /// Somebody has called.
    func beginIncoming(_ peer: PeerID) {
        if chatting?.chat.peer == peer {
            chatting?.isCallee = true
            return
        }
        guard chatting == nil else { return }
        _ = begin(peer, .incoming, over: nil)
    }
}
