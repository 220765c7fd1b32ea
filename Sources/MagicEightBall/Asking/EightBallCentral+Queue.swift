internal import BLE
internal import BLESession

// Questions that wait for those before them.
extension EightBallCentral {
    /// Begins to ask, or puts the question behind those that wait; its end is reported, and told to
    /// the outcome.
    ///
    /// - Returns: the question's number.
    @discardableResult
    func begin(
        _ question: Question,
        of device: any BallDevice,
        outcome: AsyncThrowingStream<Answer, any Error>.Continuation?
    ) -> Int {
        let asking = BallRecord.Asking(
            id: nextNumber(),
            exchange: Exchange(terms(of: question, to: device)),
            outcome: outcome
        )
        let peer = device.id
        if let failure = refusal(of: question, to: device) {
            finish(asking, of: device, with: .failure(failure))
            return asking.id
        }
        records[peer]?.waiting.append(asking)
        startTimer(.question, timeouts.question, for: asking.id, of: peer)
        if records[peer]?.isBusy == false { startNext(of: peer) }
        return asking.id
    }

    /// Why a question cannot even wait; `nil` when it can.
    private func refusal(
        of question: Question,
        to device: any BallDevice
    ) -> EightBallError? {
        guard !session.isStopped else {
            return Self.stopped("'\(device.name)' was not asked: the central has not been started")
        }
        guard let record = records[device.id] else {
            return EightBallError(.deviceOffline, "'\(device.name)' was not asked: it is lost")
        }
        guard record.unfinishedCount >= maximumQuestionCount else { return nil }
        return EightBallError(
            .rejected(.deviceBusy),
            "'\(device.name)' was not asked '\(question)': \(record.unfinishedCount) of at most "
                + "\(maximumQuestionCount) questions to it are unfinished here"
        )
    }

    private func terms(of question: Question, to device: any BallDevice) -> ExchangeTerms {
        ExchangeTerms(
            question: question,
            tag: .random(),
            ballName: device.name,
            timeouts: timeouts,
            whenBusy: whenBusy
        )
    }

    /// A question is cancelled by whoever asked.
    func cancel(_ number: Int, of peer: PeerID) {
        let cancelled = EightBallError(.cancelled, "the question was cancelled")
        if !failWaiting(number, of: peer, because: cancelled) {
            advance(number, of: peer) { $0.abandon(cancelled) }
        }
    }

    /// The time of a whole question is over.
    func expire(_ number: Int, of peer: PeerID) {
        let waiting = records[peer]?.waiting.first { $0.id == number }
        let failure = waiting?.exchange.terms.lateInAll(.queued, timeouts.question)
        if let failure, failWaiting(number, of: peer, because: failure) { return }
        advance(number, of: peer) { $0.timedOut(.question) }
    }

    /// Ends a question that waits for those before it.
    ///
    /// - Returns: whether it was waiting.
    private func failWaiting(
        _ number: Int,
        of peer: PeerID,
        because failure: EightBallError
    ) -> Bool {
        guard let record = records[peer],
            let index = record.waiting.firstIndex(where: { $0.id == number })
        else { return false }
        let asking = record.waiting[index]
        records[peer]?.waiting.remove(at: index)
        asking.cancelTimers()
        finish(asking, of: record.ball, with: .failure(failure))
        return true
    }

    /// Ends all questions that wait for others.
    func failWaiting(of peer: PeerID, because failure: EightBallError) {
        for asking in records[peer]?.waiting ?? [] {
            _ = failWaiting(asking.id, of: peer, because: failure)
        }
    }

    /// Begins with the connection that is to be made, else with the question that has waited longest.
    func startNext(of peer: PeerID) {
        if records[peer]?.connecting != nil { return startConnecting(to: peer) }
        guard let asking = records[peer]?.waiting.first else { return }
        records[peer]?.waiting.removeFirst()
        links.beginUse(of: peer)
        start(asking, of: peer)
    }
}
