internal import BLE

// Answering: from a question that was accepted to its answer.
extension EightBallPeripheral {
    /// Takes a question in; it has been checked.
    func accept(
        _ question: Question,
        from asker: Asker,
        _ way: PendingQuestion.Way,
        mtuBytes: Int
    ) {
        let peer = asker.id
        if way != .plain {
            let replaced = replaced(by: question, of: peer)
            if let earlier = queue.inquiry(of: peer) { giveUp(earlier.id, because: replaced) }
            dropReply(of: peer, because: replaced)
        }
        let id = nextNumber()
        queue.add(
            PendingQuestion(id: id, question: question, asker: asker, way: way, mtuBytes: mtuBytes)
        )
        countQuestion(of: peer)
        records[peer]?.question = question
        records[peer]?.answer = nil
        records[peer]?.error = nil
        observers.tell { await $0.peripheral(self, didReceive: question, from: asker) }
        advance()
        guard let place = queue.place(of: id) else { return }
        observers.tell { await $0.peripheral(self, didQueue: question, of: asker, at: place) }
    }

    /// Answers a question that waits.
    func send(_ answer: Answer, to question: Question, of peer: PeerID) async throws {
        try await send(answer, as: try waiting(question, of: peer))
    }

    /// Refuses a question that waits.
    func refuse(_ question: Question, of peer: PeerID, because reason: RejectionReason) throws {
        giveUp(try waiting(question, of: peer), because: reason)
    }

    /// Refuses an asker until it has gone.
    func reject(_ peer: PeerID, because reason: RejectionReason) {
        records[peer]?.rejection = reason
        for pending in queue.all where pending.asker.id == peer { giveUp(pending, because: reason) }
    }

    /// Leaves a question without an answer; with a reason, its asker is told where that is possible.
    func giveUp(
        _ id: Int,
        because failure: EightBallError,
        saying reason: RejectionReason? = nil
    ) {
        guard let pending = queue.remove(id) else { return }
        pending.cancel()
        let peer = pending.asker.id
        // Its answer may reach everybody all the same.
        if pending.way == .plain, pending.isBeingAnswered { settle(after: peer) }
        if records[peer]?.reply?.id == id { forgetReply(of: peer) }
        fail(pending.question, of: pending.asker, because: failure)
        if let reason, let tag = pending.tag {
            let text = EightBallService.cut(
                reason.text ?? "",
                toByteCount: Answer.maximumByteCount
            )
            let reply = PendingReply(
                to: pending,
                tag: tag,
                .rejected(text.isEmpty ? reason : reason.saying(text)),
                answer: nil
            )
            keepRefusal(reply, for: peer)
        }
        advance()
    }

    /// A question stays without an answer.
    func fail(_ question: Question, of asker: Asker, because failure: EightBallError) {
        error = failure
        records[asker.id]?.error = failure
        observers.tell {
            await $0.peripheral(self, didFailToAnswer: question, of: asker, because: failure)
        }
    }

    /// An answer was handed to the radio.
    func didSend(_ answer: Answer, as id: Int) {
        guard let pending = queue.remove(id) else { return }
        pending.cancel()
        switch pending.way {
        case .plain: settle(after: pending.asker.id)
        case .inquiry: limitReading(of: id, by: pending.asker.id)
        }
        observers.tell {
            await $0.peripheral(self, didSend: answer, to: pending.question, of: pending.asker)
        }
        advance()
    }

    private func waiting(_ question: Question, of peer: PeerID) throws -> PendingQuestion {
        let pending = queue.all.first {
            $0.question == question && $0.asker.id == peer && !$0.isBeingAnswered
        }
        guard let pending else {
            throw EightBallError(
                .deviceOffline,
                "'\(question)' of \(peer) was not answered: it no longer waits for an answer"
            )
        }
        return pending
    }

    /// Refuses a question that was accepted.
    func giveUp(_ pending: PendingQuestion, because reason: RejectionReason) {
        let message = "'\(pending.question)' of \(pending.asker.id) was refused: \(reason)"
        giveUp(pending.id, because: EightBallError(.rejected(reason), message), saying: reason)
    }

    /// Tells an answer: to all, or to its asker that it can be read.
    func send(_ answer: Answer, as pending: PendingQuestion) async throws {
        guard let publication else {
            throw EightBallError(.stopped, "'\(localName)' is not shown")
        }
        queue.update(pending.id) {
            $0.isBeingAnswered = true
            $0.limit?.cancel()
        }
        let peer = pending.asker.id
        records[peer]?.answer = answer
        let characteristic: BluetoothUUID
        let value: [UInt8]
        switch pending.way {
        case .plain:
            characteristic = EightBallService.answer.characteristic
            value = EightBallService.notification(answer, mtuBytes: pending.mtuBytes)
        case .inquiry(let tag):
            // It may be read before the radio's word that it was told.
            let outcome = Reply.Outcome.answered(Array(answer.wireText.utf8))
            let reply = PendingReply(to: pending, tag: tag, outcome, answer: answer)
            records[peer]?.reply = reply
            characteristic = EightBallService.reply.characteristic
            value = Reply.ready(tag).bytes
        }
        let attempt = "answering '\(pending.question)' of \(peer)"
        do {
            let sent: Void? = try await withTimeLimit(timeouts.radio, on: clock) {
                try await publication.update(characteristic, to: value)
            }
            guard sent != nil else {
                throw EightBallError(attempt, at: .radio, tookLongerThan: timeouts.radio)
            }
        } catch {
            let failure = EightBallError(attempt, at: .radio, failedWith: error)
            giveUp(pending.id, because: failure)
            throw failure
        }
        didSend(answer, as: pending.id)
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
}
