internal import BLE

// Answering: what askers write and read, and what they are told.
extension EightBallPeripheral {
    /// An asker reads.
    func read(
        _ characteristic: BluetoothUUID,
        _ request: GATTRequest
    ) throws(ATTError) -> [UInt8] {
        guard characteristic == EightBallService.answer.characteristic else {
            throw .readNotPermitted
        }
        let peer = request.central
        guard meet(peer) != nil else { return [] }
        if request.offset == 0 {
            let whole = records[peer]?.answer?.wireText ?? ""
            records[peer]?.snapshot = Array(whole.utf8)
        }
        return records[peer]?.snapshot ?? []
    }

    /// An asker writes.
    func write(
        _ value: [UInt8],
        to characteristic: BluetoothUUID,
        _ request: GATTRequest
    ) throws(ATTError) {
        guard characteristic == EightBallService.question.characteristic else {
            throw .writeNotPermitted
        }
        guard let asker = meet(request.central) else {
            throw RejectionReason.deviceOffline.attError
        }
        if let reason = reasonToReject(value, from: asker) {
            observers.tell {
                await $0.peripheral(self, didRejectQuestionOf: asker, because: reason)
            }
            throw reason.attError
        }
        accept(value, from: asker, mtuBytes: request.mtuBytes)
    }

    /// Something happened besides reads and writes.
    func handle(_ event: PublicationEvent) {
        switch event {
        case .connected(let peer):
            meet(peer)
        case .disconnected(let peer):
            leave(peer, because: EightBallError(.deviceOffline, "the asker \(peer) has gone"))
        case .ended(let cause):
            publicationEnded(cause)
        case .subscribed, .unsubscribed:
            return
        }
    }

    /// Answers the question that waits.
    func send(_ answer: Answer, to question: Question, of peer: PeerID) async throws {
        guard let waiting = pending, waiting.question == question, waiting.asker.id == peer,
            !waiting.isBeingAnswered, let publication
        else {
            throw EightBallError(
                .deviceOffline,
                "'\(question)' of \(peer) was not answered: it no longer waits for an answer"
            )
        }
        pending?.isBeingAnswered = true
        records[peer]?.answer = answer
        let value = EightBallService.notification(answer, mtuBytes: waiting.mtuBytes)
        let attempt = "answering '\(question)' of \(peer)"
        let characteristic = EightBallService.answer.characteristic
        do {
            let sent: Void? = try await withTimeLimit(timeouts.radio, on: clock) {
                try await publication.update(characteristic, to: value)
            }
            guard sent != nil else {
                throw EightBallError(attempt, at: .radio, tookLongerThan: timeouts.radio)
            }
        } catch {
            let failure = EightBallError(attempt, at: .radio, failedWith: error)
            giveUp(waiting.id, because: failure)
            throw failure
        }
        guard pending?.id == waiting.id else { return }
        pending = nil
        waiting.thinking?.cancel()
        settle(after: peer)
        let asker = waiting.asker
        observers.tell { await $0.peripheral(self, didSend: answer, to: question, of: asker) }
    }

    /// Refuses an asker until it has gone.
    func reject(_ peer: PeerID, because reason: RejectionReason) {
        records[peer]?.rejection = reason
        guard let pending, pending.asker.id == peer else { return }
        let failure = EightBallError(.rejected(reason), "the asker \(peer) was rejected: \(reason)")
        giveUp(pending.id, because: failure)
    }

    /// An asker has gone, or can no longer be told anything.
    func leave(_ peer: PeerID, because failure: EightBallError) {
        if let pending, pending.asker.id == peer { giveUp(pending.id, because: failure) }
        guard let record = records.removeValue(forKey: peer) else { return }
        order.removeAll { $0 == peer }
        observers.tell { await $0.peripheral(self, didDisconnect: record.asker) }
    }

    /// The asker of an identity, who may be new: systems don't always tell who connects.
    @discardableResult
    private func meet(_ peer: PeerID) -> Asker? {
        if let record = records[peer] { return record.asker }
        guard session != nil else { return nil }
        let asker = Asker(id: peer, ball: self)
        records[peer] = AskerRecord(asker)
        order.append(peer)
        observers.tell { await $0.peripheral(self, didConnect: asker) }
        return asker
    }

    private func reasonToReject(_ value: [UInt8], from asker: Asker) -> RejectionReason? {
        if let reason = records[asker.id]?.rejection { return reason }
        guard value.count <= Question.maximumByteCount else { return .tooLong }
        guard let text = EightBallService.text(value) else { return .malformed }
        guard Question(received: text).endsInQuestionMark else { return .questionPlease }
        guard pending == nil, lastAnswered == nil || lastAnswered == asker.id else {
            return .deviceBusy
        }
        return nil
    }

    /// Refuses other askers for a while: one that asked now could take this answer for its own.
    private func settle(after peer: PeerID) {
        settling?.cancel()
        lastAnswered = peer
        settling = Task {
            do {
                try await clock.sleep(for: timeouts.settling)
                try Task.checkCancellation()
                lastAnswered = nil
            } catch {
                // Cancelled: another answer is on its way, or the ball has stopped.
            }
        }
    }

    private func accept(_ value: [UInt8], from asker: Asker, mtuBytes: Int) {
        guard let text = EightBallService.text(value) else { return }
        let question = Question(received: text)
        let id = nextNumber()
        pending = PendingQuestion(id: id, question: question, asker: asker, mtuBytes: mtuBytes)
        records[asker.id]?.question = question
        records[asker.id]?.answer = nil
        records[asker.id]?.error = nil
        observers.tell { await $0.peripheral(self, didReceive: question, from: asker) }
        pending?.thinking = Task { await self.think(of: question, from: asker, id: id) }
    }

    private func think(of question: Question, from asker: Asker, id: Int) async {
        let attempt = "finding an answer to '\(question)'"
        do {
            guard let think = answers.think else {
                try await clock.sleep(for: timeouts.thinking)
                throw EightBallError(attempt, at: .answering, tookLongerThan: timeouts.thinking)
            }
            let answer = try await withTimeLimit(timeouts.thinking, on: clock) {
                try await think(question, asker)
            }
            guard let answer else {
                throw EightBallError(attempt, at: .answering, tookLongerThan: timeouts.thinking)
            }
            guard pending?.id == id else { return }
            try await send(answer, to: question, of: asker.id)
        } catch {
            giveUp(id, because: EightBallError(attempt, at: .answering, failedWith: error))
        }
    }

    /// Leaves the question that is being answered without an answer.
    private func giveUp(_ id: Int, because failure: EightBallError) {
        guard let pending, pending.id == id else { return }
        self.pending = nil
        pending.thinking?.cancel()
        error = failure
        records[pending.asker.id]?.error = failure
        observers.tell {
            await $0.peripheral(
                self,
                didFailToAnswer: pending.question,
                of: pending.asker,
                because: failure
            )
        }
    }
}
