internal import BLE

// Questions that wait for those before them.
extension EightBallCentral {
    /// Begins to ask, or puts the question behind those that wait; what comes of it is told to
    /// observers and to the outcome.
    ///
    /// - Returns: the question's number.
    @discardableResult
    func begin(
        _ question: Question,
        of device: any PeripheralDevice,
        outcome: AsyncThrowingStream<Answer, any Error>.Continuation?
    ) -> Int {
        let asking = BallRecord.Asking(
            id: nextNumber(),
            exchange: Exchange(terms(of: question, to: device)),
            outcome: outcome
        )
        let peer = device.id
        if let failure = refusal(of: question, to: device) {
            tell(.failure(failure), of: asking, to: device)
            return asking.id
        }
        records[peer]?.waiting.append(asking)
        startTimer(.question, timeouts.question, for: asking.id, of: peer)
        if records[peer]?.asking == nil { startNext(of: peer) }
        return asking.id
    }

    /// Why a question cannot even wait; `nil` when it can.
    private func refusal(
        of question: Question,
        to device: any PeripheralDevice
    ) -> EightBallError? {
        guard session != nil else { return Self.stopped("the central has not been started") }
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

    private func terms(of question: Question, to device: any PeripheralDevice) -> ExchangeTerms {
        ExchangeTerms(
            question: question,
            tag: .random(),
            ballName: device.name,
            timeouts: timeouts,
            whenBusy: whenBusy
        )
    }

    /// A question is taken back by whoever asked.
    func abandon(_ number: Int, of peer: PeerID) {
        let cancelled = EightBallError(.cancelled, "the question was taken back")
        if !takeBack(number, of: peer, because: cancelled) {
            advance(number, of: peer) { $0.abandon(cancelled) }
        }
    }

    /// The time of a whole question is over.
    func expire(_ number: Int, of peer: PeerID) {
        let waiting = records[peer]?.waiting.first { $0.id == number }
        let failure = waiting?.exchange.terms.lateInAll(.queued, timeouts.question)
        if let failure, takeBack(number, of: peer, because: failure) { return }
        advance(number, of: peer) { $0.timedOut(.question) }
    }

    /// Takes a question back that waits for those before it.
    ///
    /// - Returns: whether it was waiting.
    private func takeBack(_ number: Int, of peer: PeerID, because failure: EightBallError) -> Bool {
        guard let record = records[peer],
            let index = record.waiting.firstIndex(where: { $0.id == number })
        else { return false }
        let asking = record.waiting[index]
        records[peer]?.waiting.remove(at: index)
        asking.cancelTimers()
        tell(.failure(failure), of: asking, to: record.ball)
        return true
    }

    /// Ends all questions that wait for others.
    func takeBackWaiting(of peer: PeerID, because failure: EightBallError) {
        for asking in records[peer]?.waiting ?? [] {
            _ = takeBack(asking.id, of: peer, because: failure)
        }
    }

    /// Begins with the question that has waited longest, if there is one.
    func startNext(of peer: PeerID) {
        guard let asking = records[peer]?.waiting.first else { return }
        records[peer]?.waiting.removeFirst()
        records[peer]?.cooling?.cancel()
        start(asking, of: peer)
    }
}
