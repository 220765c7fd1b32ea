internal import BLE

// Answering: from an accepted question to its end.
extension EightBallPeripheral {
    /// Takes a question in; it has been checked.
    func accept(
        _ question: Question,
        from asker: ConnectedAsker,
        over pair: AcceptedQuestion.Pair,
        mtuBytes: Int
    ) {
        let peer = asker.id
        if pair != .plain { makeWay(for: question, of: peer) }
        let id = nextNumber()
        queue.add(
            AcceptedQuestion(
                id: id,
                question: question,
                asker: asker,
                pair: pair,
                mtuBytes: mtuBytes
            )
        )
        countQuestion(of: peer)
        records[peer]?.question = question
        records[peer]?.answer = nil
        records[peer]?.error = nil
        report(.received(question, from: asker))
        advance()
        guard let place = queue.place(of: id) else { return }
        report(.queued(question, of: asker, place: place))
    }

    /// Answers a question that waits; returns when the answer is sent.
    func send(_ answer: Answer, to question: Question, of peer: PeerID) async throws {
        let id = try unanswered(question, of: peer).id
        take(.answered(answer), of: id)
        guard let sending = work[id]?.sending else { return }
        do {
            try await withTaskCancellationHandler {
                try await sending.value
            } onCancel: {
                sending.cancel()
            }
        } catch {
            try Task.checkCancellation()
            throw error
        }
    }

    /// Refuses a question that waits.
    func refuse(_ question: Question, of peer: PeerID, because reason: RejectionReason) throws {
        refuse(try unanswered(question, of: peer), because: reason)
    }

    /// Refuses an asker's questions, then ends its link.
    func reject(_ peer: PeerID, because reason: RejectionReason) async {
        records[peer]?.rejection = reason
        for question in queue.open where question.asker.id == peer {
            refuse(question, because: reason)
        }
        await disconnect(peer)
    }

    /// Refuses a question that was accepted.
    func refuse(_ question: AcceptedQuestion, because reason: RejectionReason) {
        let message = "'\(question.question)' of \(question.asker.id) was refused: \(reason)"
        take(.refused(reason, EightBallError(.rejected(reason), message)), of: question.id)
    }

    /// Passes an event to a question, and performs its actions.
    func take(_ event: AcceptedQuestion.Event, of id: Int) {
        guard let question = queue[id] else { return }
        for action in queue.take(event, of: id) { perform(action, for: question) }
        notifyWaits()
        advance()
    }

    /// Gives the questions whose turn it is to the source.
    func advance() {
        while let id = queue.next { take(.turn, of: id) }
    }

    /// An asker that has as many questions as it may goes on to ask: its oldest one gives way.
    private func makeWay(for question: Question, of peer: PeerID) {
        guard queue.isFull(for: peer), let oldest = queue.oldestPrivateQuestion(of: peer) else {
            return
        }
        let message = "the asker \(peer) went on to ask '\(question)'"
        take(.refused(.deviceBusy, EightBallError(.cancelled, message)), of: oldest.id)
    }

    private func perform(_ action: AcceptedQuestion.Action, for question: AcceptedQuestion) {
        let id = question.id
        let asker = question.asker
        switch action {
        case .think:
            think(of: question)
        case .cancel:
            work[id]?.cancel()
        case .send(let answer, let characteristic, let value):
            records[asker.id]?.answer = answer
            work[id, default: QuestionWork()].sending = Task(executorPreference: executor) {
                try await self.send(value, over: characteristic, as: question)
            }
        case .offerReply:
            offerReply(of: id, to: asker.id)
        case .notify:
            notify(question)
        case .keepReply:
            keepReply(to: question)
        case .settle:
            settle(after: asker.id)
        case .reportSent(let answer):
            work[id]?.isSent = true
            report(.sent(answer, to: question.question, of: asker))
        case .reportDelivered(let answer):
            report(.delivered(answer, to: question.question, of: asker))
        case .reportFailed(let failure):
            error = failure
            records[asker.id]?.error = failure
            report(.failedToAnswer(question.question, of: asker, failure))
        case .end:
            work.removeValue(forKey: id)?.cancel()
            records[asker.id]?.replies.remove(id)
        }
    }

    private func send(
        _ value: [UInt8],
        over characteristic: AttributeID,
        as question: AcceptedQuestion
    ) async throws {
        do {
            if servesFirstSeries, characteristic == EightBallService.answer {
                try await awaitSubscriber()
            }
            try await update(
                characteristic,
                to: value,
                "answering '\(question.question)' of \(question.asker.id)"
            )
            take(.sent, of: question.id)
        } catch {
            guard work[question.id]?.isSent != true else { return }
            // It may have been refused, or ended, meanwhile.
            guard queue[question.id]?.isOpen == true else {
                throw notWaiting(question.question, of: question.asker.id)
            }
            take(.sendingFailed(error), of: question.id)
            throw error
        }
    }

    /// Waits until somebody has subscribed to answers: apps of the first series ask before they do.
    private func awaitSubscriber() async throws(EightBallError) {
        guard !subscribed.contains(EightBallService.answer) else { return }
        let number = nextNumber()
        let (subscription, wait) = AsyncStream.makeStream(of: Never.self)
        subscriptionWaits[number] = wait
        defer { subscriptionWaits[number] = nil }
        let attempt = "waiting for a subscription to the answer"
        do {
            let subscribed: Void? = try await withTimeLimit(timeouts.answer, on: clock) {
                for await _ in subscription {}
                try Task.checkCancellation()
            }
            guard subscribed == nil else { return }
        } catch {
            throw EightBallError(attempt, at: .answering, failedWith: error)
        }
        throw EightBallError(attempt, at: .answering, tookLongerThan: timeouts.answer)
    }

    /// Sends a value to all subscribers, within the limit.
    func update(
        _ characteristic: AttributeID,
        to value: [UInt8],
        _ attempt: String
    ) async throws(EightBallError) {
        guard let publication = publication.current else {
            throw EightBallError(.stopped, "\(attempt) failed: '\(localName)' is not advertised")
        }
        do {
            let sent: Void? = try await withTimeLimit(timeouts.radio, on: clock) {
                try await publication.update(characteristic, to: value)
            }
            guard sent != nil else {
                throw EightBallError(attempt, at: .radio, tookLongerThan: timeouts.radio)
            }
        } catch {
            throw EightBallError(attempt, at: .radio, failedWith: error)
        }
    }

    private func unanswered(_ question: Question, of peer: PeerID) throws -> AcceptedQuestion {
        let found = queue.open.first {
            $0.question == question && $0.asker.id == peer && $0.isUnanswered
        }
        guard let found else { throw notWaiting(question, of: peer) }
        return found
    }

    private func notWaiting(_ question: Question, of peer: PeerID) -> EightBallError {
        EightBallError(
            .deviceOffline,
            "'\(question)' of \(peer) was not answered: it no longer waits for an answer"
        )
    }

    /// Refuses other askers for a while: one that asked now could take this answer for its own.
    private func settle(after peer: PeerID) {
        settling?.cancel()
        lastAnswered = peer
        settling = Deadline(after: timeouts.settling, on: clock, of: self) { $0.lastAnswered = nil }
    }
}
