internal import BLE
internal import BLESession
internal import Logging

// The chat that is on.
extension Messenger {
    func maximumByteCount(of chat: Chat) async -> Int? {
        await learnMTU(of: chat)
        return chatting?.chat.id == chat.id ? chatting?.maximumByteCount : nil
    }

    /// A callee is told the MTU with each text; where the system says it before, it is asked for.
    private func learnMTU(of chat: Chat) async {
        guard let record = chatting, record.chat.id == chat.id, record.link == nil,
            let mtuBytes = await publication?.publication?.mtuBytes(of: chat.peer),
            chatting?.chat.id == chat.id
        else { return }
        chatting?.calleeMTUBytes = max(mtuBytes, 23)
    }

    // MARK: - Receiving

    /// What comes over the link of a call, until that ends.
    func receive(over link: any Link, _ chat: Chat) async {
        for await event in link.events {
            switch event {
            case .notification(ChatService.toCaller, let value):
                _ = receive(value, of: link.peer)
            case .notification(ChatService.leaving, _):
                leaveWhenSent(chat)
            case .notification:
                break
            case .mtuChanged(let mtuBytes):
                if chatting?.chat.id == chat.id { chatting?.linkMTUBytes = mtuBytes }
            case .servicesInvalidated(let services) where services.contains(ChatService.uuid):
                end(chat, ChatError(.ended, "\(chat.title) took its service back"))
            case .servicesInvalidated:
                break
            case .disconnected(let cause):
                // A callee that leaves may end the connection itself.
                let error = cause.map {
                    ChatError(.ended, "the connection to \(chat.title) was lost", underlying: $0)
                }
                end(chat, error)
            }
        }
    }

    /// Takes a text of the other end.
    ///
    /// - Returns: whether it is one.
    func receive(_ value: [UInt8], of peer: PeerID) -> Bool {
        guard let chat = chatting?.chat, chat.peer == peer else { return false }
        guard let text = String(validating: value, as: UTF8.self) else {
            let error = ChatError(
                .invalidText,
                "\(chat.title) sent \(value.count) bytes that are no UTF-8"
            )
            report(.failedToReceive(error, chat))
            return false
        }
        guard !text.isEmpty else {
            report(.failedToReceive(ChatError(.empty, "\(chat.title) sent an empty text"), chat))
            return true
        }
        report(.received(text, chat))
        return true
    }

    // MARK: - Sending

    func send(_ text: String, in chat: Chat) async throws {
        try Task.checkCancellation()
        let value = Array(text.utf8)
        if let record = chatting, value.count > record.maximumByteCount {
            await learnMTU(of: chat)
        }
        guard let record = chatting, record.chat.id == chat.id, !record.isLeaving else {
            throw ChatError(.ended, "the text was not sent: the chat with \(chat.title) is over")
                .postponed
        }
        guard !value.isEmpty else { throw ChatError(.empty, "an empty text is not sent") }
        guard value.count <= record.maximumByteCount else {
            let error = ChatError(
                .tooLong,
                "the text has \(value.count) bytes; \(record.maximumByteCount) fit"
            )
            throw record.mayFitLater(value.count) ? error.postponed : error
        }
        if record.link == nil { try checkPrivacy() }
        let sent = Promise<Void>()
        let number = record.lastSending + 1
        chatting?.lastSending = number
        chatting?.sending[number] = Sending(outcome: sent, hasBegun: record.link != nil)
        let before = record.link == nil ? indicating : nil
        let work = executor.task(of: self) { messenger in
            await before?.value
            let result: Result<Void, any Error>
            do {
                result = .success(try await messenger.transmit(value, number, in: record))
            } catch {
                result = .failure(error)
            }
            messenger.didSend(number, in: chat, result)
        }
        if record.link == nil { indicating = work }
        let deadline = Deadline(after: timeouts.sending, on: clock, of: self) { messenger in
            messenger.giveUp(number, in: chat)
            work.cancel()
        }
        defer { deadline.cancel() }
        do {
            try await sent.wait()
        } catch is CancellationError {
            work.cancel()
            throw CancellationError()
        } catch {
            throw ChatError("sending a text to \(chat.title)", failedWith: error)
        }
    }

    /// Fails when a text that is indicated might reach somebody beside the caller.
    private func checkPrivacy() throws {
        guard !callee.isPrivate else { return }
        throw ChatError(
            .notPrivate,
            "the text was not sent: another device is connected that might be sent it, too"
        ).postponed
    }

    private func giveUp(_ number: Int, in chat: Chat) {
        let limit = timeouts.sending.inUnits
        let error: ChatError =
            if chatting?.sending[number]?.hasBegun == false {
                ChatError(
                    .timedOut,
                    "the text was not sent within \(limit): the one before it is not confirmed"
                ).postponed
            } else {
                ChatError(.timedOut, "\(chat.title) did not confirm the text within \(limit)")
            }
        didSend(number, in: chat, .failure(error))
    }

    private func transmit(
        _ value: [UInt8],
        _ number: Int,
        in record: ChatRecord
    ) async throws {
        if let link = record.link {
            return try await link.write(value, to: ChatService.toCallee)
        }
        // The one before may have taken long.
        try Task.checkCancellation()
        guard chatting?.chat.id == record.chat.id else {
            throw ChatError(.ended, "the text was not sent: the chat is over").postponed
        }
        try checkPrivacy()
        guard let publication = publication?.publication else {
            throw ChatError(.ended, "the text was not sent: the service is not published any more")
                .postponed
        }
        chatting?.sending[number]?.hasBegun = true
        // In a task that nobody cancels: what is out stays out, and the next text waits for its outcome.
        let confirmation = try await Task(executorPreference: executor) {
            try await publication.indicate(ChatService.toCaller, to: value)
        }.value
        guard confirmation == .confirmed else {
            throw ChatError(
                .notConfirmed,
                "the text was sent, and \(record.chat.title) is not known to have confirmed it"
            )
        }
    }

    /// A text has an outcome; the end of its chat is one, too.
    private func didSend(_ number: Int, in chat: Chat, _ result: Result<Void, any Error>) {
        guard chatting?.chat.id == chat.id,
            let sent = chatting?.sending.removeValue(forKey: number)
        else { return }
        switch result {
        case .success: sent.outcome.fulfil()
        case .failure(let error): sent.outcome.fail(error)
        }
        if chatting?.farewell != nil { leaveWhenSent(chat) }
    }

    // MARK: - The end

    /// A callee has asked for the end of the connection: it ends when what is being sent has an outcome, as the callee may
    /// have asked before its reply to that; and at a limit.
    private func leaveWhenSent(_ chat: Chat) {
        guard let record = chatting, record.chat.id == chat.id else { return }
        guard !record.sending.isEmpty else { return end(chat, nil) }
        guard record.farewell == nil else { return }
        chatting?.isLeaving = true
        chatting?.farewell = Deadline(after: timeouts.leaving, on: clock, of: self) {
            $0.end(chat, nil)
        }
    }

    func leave(_ chat: Chat) async {
        guard chatting?.chat.id == chat.id else { return }
        if chatting?.isLeaving == false {
            chatting?.isLeaving = true
            if let link = chatting?.link {
                executor.task(of: self) { messenger in
                    await link.disconnect()
                    messenger.end(chat, nil)
                }
            } else {
                askToLeave(chat)
            }
        }
        // In a task that nobody cancels, so that it ends with the chat alone.
        await Task { await waitForEnd(of: chat) }.value
    }

    /// Asks the caller to end the connection; ends it from here when that takes long, or when somebody else might be asked, too.
    private func askToLeave(_ chat: Chat) {
        guard let publication = publication?.publication else { return end(chat, nil) }
        let limit = timeouts.leaving
        let isPrivate = callee.isPrivate
        let asking = executor.task(of: self) { messenger in
            guard isPrivate else { return }
            do {
                _ = try await publication.indicate(ChatService.leaving, to: ChatService.leave)
            } catch {
                messenger.logger.info("asking \(chat.title) to leave failed: \(error)")
            }
        }
        executor.task(of: self) { messenger in
            if isPrivate {
                // Nobody cancels.
                _ = try? await withTimeLimit(limit, on: messenger.clock) {
                    await messenger.waitForEnd(of: chat)
                }
            }
            asking.cancel()
            guard messenger.chatting?.chat.id == chat.id else { return }
            do {
                try await publication.disconnect(chat.peer)
            } catch {
                messenger.logger.info("disconnecting \(chat.title) failed: \(error)")
            }
            messenger.end(chat, nil)
        }
    }

    private func waitForEnd(of chat: Chat) async {
        guard chatting?.chat.id == chat.id, let ending = chatting?.ends.add() else { return }
        do {
            for try await _ in ending {}
        } catch {
            // It never fails.
        }
    }

    /// The caller has left, or the service is not published any more.
    func endIncoming(_ peer: PeerID, _ failure: ChatError?) {
        guard let record = chatting, record.chat.peer == peer, record.isCallee else { return }
        let error = failure.map {
            ChatError(.ended, "the connection to \(record.chat.title) was lost", underlying: $0)
        }
        // Where both have called, whoever leaves one of the two leaves the chat.
        end(record.chat, error)
    }

    func end(_ chat: Chat, _ error: ChatError?) {
        guard let record = chatting, record.chat.id == chat.id else { return }
        chatting = nil
        record.farewell?.cancel()
        for sent in record.sending.values {
            let failure = ChatError(
                .ended,
                "the chat with \(chat.title) is over, and the text is not known to have arrived",
                underlying: error
            )
            sent.outcome.fail(sent.hasBegun ? failure : failure.postponed)
        }
        var ends = record.ends
        ends.end()
        if let link = record.link {
            executor.task(of: self) { _ in await link.disconnect() }
        }
        // A call may be under way, to the same peer who has called and left meanwhile.
        carryOut(callee.handle(.calls(calling)))
        report(.ended(chat, record.isLeaving ? nil : error))
    }
}
