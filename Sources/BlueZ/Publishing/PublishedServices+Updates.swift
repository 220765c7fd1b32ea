internal import BLE
internal import BLEDBus
internal import Logging

/// Values that are notified to all who have subscribed.
extension PublishedServices {
    func update(_ characteristic: AttributeID, to value: [UInt8]) async throws {
        let path = try path(of: characteristic, for: value)
        // Who waited in the responder's turn would wait for its end, and the other way round.
        guard !responder.isCalling else { return try await updateFromResponder(path, to: value) }
        guard let turn = updateTurns.join() else {
            throw RadioError(
                .busy,
                "telling a value at \(path): \(Turns.maximumWaitingCount) callers wait to do so"
            )
        }
        defer { updateTurns.end(turn) }
        try await turn.begin()
        while !updates.hasRoom { try await waitForRoom() }
        try update(path, to: value)
    }

    private func updateFromResponder(_ path: ObjectPath, to value: [UInt8]) async throws {
        while !updates.hasResponderRoom {
            guard !updates.isFullForResponder else {
                throw RadioError(
                    .busy,
                    "telling a value at \(path): \(UpdateQueue.maximumResponderCount) values wait for the "
                        + "replies to writes before them"
                )
            }
            try await waitForRoom()
        }
        try update(path, to: value)
    }

    /// Waits until values were sent or taken.
    func waitForRoom() async throws {
        try checkNotEnded()
        let (id, room) = roomWaits.add()
        defer { roomWaits.remove(id) }
        try await room.wait()
    }

    /// Sends a value, when the writes before it have been replied to.
    func update(_ path: ObjectPath, to value: [UInt8]) throws {
        try checkNotEnded()
        if updates.admits(value, at: path) { try send(value, at: path) }
    }

    /// The object of a characteristic that a value can be sent from.
    func path(of characteristic: AttributeID, for value: [UInt8]) throws -> ObjectPath {
        try checkNotEnded()
        guard value.count <= 512 else {
            throw RadioError(.valueTooLong, "\(value.count) bytes are more than a value has, 512")
        }
        guard let path = application.path(of: characteristic) else {
            throw RadioError(.missingAttribute, "there is no published \(characteristic)")
        }
        return path
    }

    private func send(_ value: [UInt8], at path: ObjectPath) throws {
        logger.debug("\(value.count) bytes are sent from \(path)")
        do {
            try connection.assumeIsolated { connection in
                try connection.update(
                    ["Value": .bytes(value)],
                    of: GattCharacteristic1.interface,
                    at: path
                )
            }
        } catch {
            throw BlueZError.translate(error, for: .publish, "telling a value at \(path)")
        }
        if let count = updates.didSend() { askWhetherTaken(count) }
    }

    private func askWhetherTaken(_ count: Int) {
        guard !hasEnded else { return }
        // What bluetoothd replies to it does not matter: it has taken what was sent before.
        let message = Message.property("Powered", of: Adapter1.interface, at: adapterPath)
        connection.request(message, logger, timeLimit: recovery.takingLimit) { [weak self] result in
            self?.assumeIsolated { $0.didAskWhetherTaken(count, result) }
        }
    }

    private func didAskWhetherTaken(_ count: Int, _ result: Result<Message, any Error>) {
        switch result {
        case .failure(let error as BusError):
            askAgain(count, after: error)
        case .failure(let error as ErrorReply)
        where BlueZError.code(of: error, for: .use) == .noService:
            // bluetoothd is gone, of which the bus tells next, or did not get to it in time.
            askWhetherTaken(count)
        case .success, .failure:
            guard !hasEnded else { return }
            updates.didTake(count)
            roomWaits.fulfilAll()
        }
    }

    private func askAgain(_ count: Int, after error: BusError) {
        // The bus is gone, and this publication with it.
        guard error.code != .disconnected else { return }
        // bluetoothd has said nothing for long; it takes what was sent before when it goes on.
        guard error.code != .timedOut else { return askWhetherTaken(count) }
        // Too much waits to be sent. Ends with the publication.
        _ = Deadline(after: recovery.askingPause, on: recovery.clock, of: self) {
            $0.askWhetherTaken(count)
        }
    }

    func didReplyToWrite() {
        for update in updates.didReply() where !hasEnded {
            do {
                try send(update.value, at: update.path)
            } catch {
                logger.warning("\(error)")
            }
        }
        roomWaits.fulfilAll()
    }
}
