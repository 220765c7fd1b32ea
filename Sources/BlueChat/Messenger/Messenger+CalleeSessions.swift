internal import BLE
internal import BLESession
internal import Logging

// Sessions with others of this library who have called.
extension Messenger {
    /// How many devices have sessions.
    static let maximumCallingDeviceCount = 32

    /// Takes what a central has written.
    ///
    /// It returns before what has come is dealt with, which may take as long as an archive needs: bluetoothd dies when the
    /// connection is lost while a write waits for its reply (Docs/Wire.md).
    func receiveSessionValue(
        _ bytes: [UInt8],
        _ request: GATTRequest,
        _ number: Int
    ) async throws(ATTError) {
        guard publication?.number == number else { throw .unlikelyError }
        guard let value = SessionValue(bytes) else { throw .invalidText }
        let central = request.central
        if value.isFirst { try beginSession(value.session, of: central) }
        guard var end = callingDevices[central]?.ends[value.session] else { throw .noSession }
        let id = SessionID.callee(central, value.session)
        do {
            let event = try end.session.receive(value)
            if case .established(let key, _) = event {
                end.deadline?.cancel()
                end.key = ChatKey(key)
            }
            if let event { end.waiting.append(event) }
            callingDevices[central]?.ends[value.session] = end
            // It is none that would be sent the texts of an original's chat; anybody begins a session.
            if case .established = event { carryOut(callee.handle(.isOurs(central))) }
            if event != nil, end.waiting.count == 1 {
                executor.task(of: self) { [number = end.number] messenger in
                    await messenger.dealWithRecords(of: central, value.session, number)
                }
            }
        } catch {
            endSession(id, central, error)
            throw .noSession
        }
        notifyIfNeeded(central)
        await waitForRoom(central, value.session, end.number)
    }

    /// One after the other, until none waits or the session is over.
    private func dealWithRecords(of central: PeerID, _ session: UInt16, _ number: Int) async {
        let id = SessionID.callee(central, session)
        while let end = calleeEnd(central, session, number), let event = end.waiting.first {
            do {
                try await deal(with: event, of: id, end, central, session)
            } catch {
                guard calleeEnd(central, session, number) != nil else { return }
                return endSession(id, central, error)
            }
            guard calleeEnd(central, session, number) != nil else { return }
            callingDevices[central]?.ends[session]?.waiting.removeFirst()
            callingDevices[central]?.ends[session]?.room.take()?.fulfil()
        }
    }

    private func deal(
        with event: SecureSession.Event,
        of id: SessionID,
        _ end: CalleeEnd,
        _ central: PeerID,
        _ session: UInt16
    ) async throws {
        switch event {
        case .established(let key, let name):
            _ = try await begin(id, with: ChatKey(key), name, central)
        case .record(let record):
            guard let key = end.key else { return }
            var assembly = end.assembly
            let events = try conversations[key]?.receive(record, &assembly) ?? []
            callingDevices[central]?.ends[session]?.assembly = assembly
            await handle(events, from: key)
        }
    }

    /// Lets a caller wait for whose records there is no room.
    private func waitForRoom(_ central: PeerID, _ session: UInt16, _ number: Int) async {
        while let end = calleeEnd(central, session, number),
            end.waiting.count >= CalleeEnd.maximumWaitingCount
        {
            let room = Promise<Void>()
            callingDevices[central]?.ends[session]?.room = room
            // It fails when the publication is over.
            guard (try? await room.wait()) != nil else { return }
        }
    }

    private func calleeEnd(_ central: PeerID, _ session: UInt16, _ number: Int) -> CalleeEnd? {
        guard let end = callingDevices[central]?.ends[session], end.number == number else {
            return nil
        }
        return end
    }

    private func endSession(_ id: SessionID, _ central: PeerID, _ error: any Error) {
        logger.info("the session with \(central) ended: \(error)")
        end(id, ChatError("talking to \(central)", failedWith: error))
        // It reads that there is none.
        if callingDevices[central]?.ends.isEmpty == true { notify(central) }
    }

    private func beginSession(_ session: UInt16, of central: PeerID) throws(ATTError) {
        let id = SessionID.callee(central, session)
        end(id, ChatError(.ended, "\(central) has begun another session"))
        let hasRoom =
            callingDevices[central].map { $0.ends.count < CallingDevice.maximumSessionCount }
            ?? (callingDevices.count < Self.maximumCallingDeviceCount)
        guard hasRoom else { throw .noSession }
        endDeparture(of: central)
        let limit = timeouts.connection
        let deadline = Deadline(after: limit, on: clock, of: self) { messenger in
            messenger.end(
                id,
                ChatError(.timedOut, "\(central) did not say who it is within \(limit.inUnits)")
            )
        }
        lastSessionNumber += 1
        let end = CalleeEnd(
            number: lastSessionNumber,
            session: CalleeSession(id: session, key: identity.privateKey, name: name.text),
            deadline: deadline
        )
        callingDevices[central, default: CallingDevice()].ends[session] = end
        callingDevices[central]?.order.append(session)
    }

    /// What a central reads: the value of one of its sessions, in turn.
    func sessionValue(_ request: GATTRequest, _ number: Int) throws(ATTError) -> [UInt8] {
        guard publication?.number == number, let device = callingDevices[request.central] else {
            return []
        }
        // Later parts of a long read belong to the first.
        guard request.offset == 0 else { return device.lastValue }
        guard !device.ends.isEmpty else { throw .noSession }
        callingDevices[request.central]?.isNotified = false
        var last: [UInt8] = []
        for session in device.order {
            let value = try sessionValue(session, request)
            guard !value.isEmpty else { continue }
            last = value
            callingDevices[request.central]?.order.removeAll { $0 == session }
            callingDevices[request.central]?.order.append(session)
            break
        }
        callingDevices[request.central]?.lastValue = last
        return last
    }

    private func sessionValue(
        _ session: UInt16,
        _ request: GATTRequest
    ) throws(ATTError) -> [UInt8] {
        let id = SessionID.callee(request.central, session)
        guard var end = callingDevices[request.central]?.ends[session] else { return [] }
        defer { callingDevices[request.central]?.ends[session]?.session = end.session }
        do {
            let room = request.mtuBytes - 1
            guard let key = end.key, encryptedChats[key]?.active == id else {
                var nobody: Conversation?
                return try end.session.value(upTo: room, &nobody)
            }
            return try end.session.value(upTo: room, &conversations[key])
        } catch {
            throw .unlikelyError
        }
    }

    /// Tells a central that there is something to read.
    func notifyIfNeeded(_ central: PeerID) {
        guard let device = callingDevices[central],
            device.ends.contains(where: { hasValue($0.value, .callee(central, $0.key)) })
        else { return }
        notify(central)
    }

    private func notify(_ central: PeerID) {
        guard callingDevices[central]?.isNotified == false,
            let publication = publication?.publication
        else { return }
        callingDevices[central]?.isNotified = true
        executor.task(of: self) { messenger in
            do {
                try await publication.update(ChatService.fromCallee, to: ChatService.news)
            } catch {
                // It looks by itself now and then.
                messenger.logger.info("notifying \(central) failed: \(error)")
            }
        }
    }

    private func hasValue(_ end: CalleeEnd, _ id: SessionID) -> Bool {
        guard let key = end.key, encryptedChats[key]?.active == id else {
            return end.session.hasValue(nil)
        }
        return end.session.hasValue(conversations[key])
    }

    // MARK: - Centrals that leave

    /// A central has left a session: after the last one it ends the connection.
    func expectDeparture(of central: PeerID) {
        guard callingDevices[central]?.ends.isEmpty == true,
            callingDevices[central]?.departure == nil
        else { return }
        let deadline = Deadline(after: timeouts.departure, on: clock, of: self) {
            $0.endDeparture(of: central)
        }
        callingDevices[central]?.departure = Departure(deadline: deadline)
    }

    /// A central that left has ended the connection, or stays.
    private func endDeparture(of central: PeerID) {
        guard var departure = callingDevices[central]?.departure else { return }
        callingDevices[central]?.departure = nil
        departure.deadline.cancel()
        departure.calls.end()
    }

    /// Waits until a central has gone that is leaving, or stays after all; returns at once for any other.
    func waitForDeparture(of central: PeerID) async throws {
        guard let end = callingDevices[central]?.departure?.calls.add() else { return }
        for try await _ in end {}
        try Task.checkCancellation()
    }

    /// A central has left, or the service is not published any more.
    func endSessions(of central: PeerID) {
        for session in callingDevices[central]?.order ?? [] {
            end(
                .callee(central, session),
                ChatError(.ended, "the connection to \(central) has ended")
            )
        }
        endDeparture(of: central)
        callingDevices[central] = nil
    }
}
