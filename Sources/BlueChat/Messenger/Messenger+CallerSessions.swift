internal import BLE
internal import Logging

// Sessions with others of this library whom this end has called.
extension Messenger {
    /// Begins a session, and waits until the other end has shown its key.
    func beginSession(over link: any Link) async throws -> Chat {
        lastSessionNumber += 1
        let number = lastSessionNumber
        let (wakeUps, wakeUp) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let end = CallerEnd(
            link: link,
            session: CallerSession(
                id: .random(in: 0...UInt16.max),
                key: identity.privateKey,
                name: name.text
            ),
            mtuBytes: await link.mtuBytes,
            wakeUp: wakeUp
        )
        callerEnds[number] = end
        executor.task(of: self) { await $0.watch(number, link) }
        executor.task(of: self) { await $0.carryOn(number, link, wakeUps) }
        wakeUp.yield()
        let limit = timeouts.connection
        let deadline = Deadline(after: limit, on: clock, of: self) { messenger in
            let error = ChatError(
                .timedOut,
                "\(link.peer) did not say who it is within \(limit.inUnits)"
            )
            messenger.end(.caller(number), error)
        }
        defer { deadline.cancel() }
        do {
            return try await end.established.wait()
        } catch {
            self.end(.caller(number), ChatError("calling \(link.peer)", failedWith: error))
            throw error
        }
    }

    /// What comes over the link, until it ends.
    private func watch(_ number: Int, _ link: any Link) async {
        for await event in link.events {
            switch event {
            case .notification(ChatService.fromCallee, _):
                callerEnds[number]?.session.wasNotified()
                callerEnds[number]?.wakeUp.yield()
            case .mtuChanged(let mtuBytes):
                callerEnds[number]?.mtuBytes = mtuBytes
            case .servicesInvalidated(let services) where services.contains(ChatService.uuid):
                end(.caller(number), ChatError(.ended, "\(link.peer) took its service back"))
            case .notification, .servicesInvalidated:
                break
            case .disconnected(let cause):
                end(
                    .caller(number),
                    ChatError(
                        .ended,
                        "the connection to \(link.peer) \(cause == nil ? "has ended" : "was lost")",
                        underlying: cause
                    )
                )
            }
        }
    }

    /// One operation after the other, until the session ends.
    private func carryOn(_ number: Int, _ link: any Link, _ wakeUps: AsyncStream<Void>) async {
        // A notification may be lost.
        let reminding = executor.task(of: self) { messenger in
            while (try? await messenger.clock.sleep(for: messenger.timeouts.polling)) != nil {
                messenger.callerEnds[number]?.session.wasNotified()
                messenger.callerEnds[number]?.wakeUp.yield()
            }
        }
        defer { reminding.cancel() }
        for await _ in wakeUps {
            do {
                while let operation = try nextOperation(number) {
                    try await perform(operation, number, link)
                }
                endIfLeft(number)
            } catch {
                logger.info("the session with \(link.peer) ended: \(error)")
                end(.caller(number), ChatError("talking to \(link.peer)", failedWith: error))
            }
        }
    }

    private func nextOperation(_ number: Int) throws -> CallerSession.Operation? {
        guard var end = callerEnds[number] else { return nil }
        defer { callerEnds[number]?.session = end.session }
        let room = end.mtuBytes - 3
        guard let key = end.key, encryptedChats[key]?.active == .caller(number) else {
            var nobody: Conversation?
            return try end.session.nextOperation(upTo: room, &nobody)
        }
        return try end.session.nextOperation(upTo: room, &conversations[key])
    }

    private func perform(
        _ operation: CallerSession.Operation,
        _ number: Int,
        _ link: any Link
    ) async throws {
        let limit = timeouts.sending
        let value = try await withTimeLimit(limit, on: clock) { () -> [UInt8] in
            switch operation {
            case .write(let bytes):
                try await link.write(bytes, to: ChatService.fromCaller)
                return []
            case .read: return try await link.read(ChatService.fromCallee)
            }
        }
        guard let value else {
            throw ChatError(.timedOut, "\(link.peer) did not reply within \(limit.inUnits)")
        }
        guard case .read = operation, var end = callerEnds[number] else { return }
        let event = try end.session.receive(value)
        callerEnds[number]?.session = end.session
        switch event {
        case .established(let key, let name):
            let key = ChatKey(key)
            callerEnds[number]?.key = key
            let chat = try await begin(.caller(number), with: key, name, link.peer)
            end.established.fulfil(.success(chat))
        case .record(let record):
            guard let key = end.key else { return }
            let events = try conversations[key]?.receive(record, &end.assembly) ?? []
            callerEnds[number]?.assembly = end.assembly
            await handle(events, from: key)
        case nil: break
        }
    }

    /// Ends the connection when all was said.
    private func endIfLeft(_ number: Int) {
        guard let key = callerEnds[number]?.key, let record = encryptedChats[key], record.isLeaving,
            record.active == .caller(number), conversations[key]?.hasRecord == false
        else { return }
        for id in record.sessions { end(id, nil) }
    }
}
