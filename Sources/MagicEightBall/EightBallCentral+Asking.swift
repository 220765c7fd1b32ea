internal import BLE

// Asking: carries out what an exchange wants done, and tells it what happened.
extension EightBallCentral {
    /// Asks a ball a question, and waits for the answer.
    ///
    /// - Parameters:
    ///   - question: what to ask.
    ///   - device: a ball that this central has discovered.
    /// - Returns: the answer.
    /// - Throws: ``EightBallError``, `CancellationError`; see ``Central/ask(_:of:)``.
    public func ask(
        _ question: Question,
        of device: any PeripheralDevice
    ) async throws -> Answer {
        try Task.checkCancellation()
        let (answers, outcome) = AsyncThrowingStream.makeStream(of: Answer.self)
        let number = begin(question, of: device, outcome: outcome)
        for try await answer in answers { return answer }
        // Without an answer the stream ends only when the task is cancelled.
        abandon(number, of: device.id)
        throw CancellationError()
    }

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
        var generator = SystemRandomNumberGenerator()
        return ExchangeTerms(
            question: question,
            tag: .random(using: &generator),
            ballName: device.name,
            timeouts: timeouts,
            whenBusy: whenBusy
        )
    }

    private func abandon(_ number: Int, of peer: PeerID) {
        let cancelled = EightBallError(.cancelled, "the question was taken back")
        if !takeBack(number, of: peer, because: cancelled) {
            advance(number, of: peer) { $0.abandon(cancelled) }
        }
    }

    /// The time of a whole question is over.
    private func expire(_ number: Int, of peer: PeerID) {
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

    private func startNext(of peer: PeerID) {
        guard let asking = records[peer]?.waiting.first else { return }
        records[peer]?.waiting.removeFirst()
        records[peer]?.cooling?.cancel()
        start(asking, of: peer)
    }

    private func start(_ asking: BallRecord.Asking, of peer: PeerID) {
        records[peer]?.asking = asking
        records[peer]?.question = nil
        records[peer]?.answer = nil
        records[peer]?.error = nil
        advance(asking.id, of: peer) { $0.begin() }
    }

    /// Tells an exchange what happened, and does what it wants done.
    ///
    /// What happened to an earlier question is left out.
    func advance(
        _ number: Int,
        of peer: PeerID,
        _ event: (inout Exchange) -> [Exchange.Action]
    ) {
        guard var asking = records[peer]?.asking, asking.id == number else { return }
        let actions = event(&asking.exchange)
        records[peer]?.asking = asking
        for action in actions { carryOut(action, for: asking, of: peer) }
    }

    private func carryOut(
        _ action: Exchange.Action,
        for asking: BallRecord.Asking,
        of peer: PeerID
    ) {
        guard let record = records[peer] else { return }
        switch action {
        case .connect:
            connect(asking.id, to: peer, after: nil)
        case .reconnect(let failure):
            connect(asking.id, to: peer, after: dropLink(to: peer, because: failure))
        case .subscribe(let attribute):
            request(asking.id, of: peer) {
                try await $0.subscribe(to: attribute)
                return []
            }
        case .write(let value, let attribute):
            request(asking.id, of: peer) {
                try await $0.write(value, to: attribute)
                return []
            }
        case .read(let attribute):
            request(asking.id, of: peer) { try await $0.read(attribute) }
        case .unsubscribe(let attribute):
            request(asking.id, of: peer) {
                try await $0.unsubscribe(from: attribute)
                return []
            }
        case .cancelRequest:
            record.asking?.request?.cancel()
        case .disconnect:
            guard let link = dropLink(to: peer, because: nil) else { return }
            // Nobody waits: it ends when the system has the request.
            Task { await link.disconnect() }
        case .startTimer(let timer, let limit):
            startTimer(timer, limit, for: asking.id, of: peer)
        case .startPause(let pause):
            startTimer(.step, pause * Double.random(in: 0.5...1.5), for: asking.id, of: peer)
        case .tellAccepted:
            let question = asking.exchange.question
            records[peer]?.question = question
            observers.tell { await $0.central(self, didAsk: question, of: record.ball) }
        case .finish(let result):
            tell(result, of: asking, to: record.ball)
        case .end:
            record.asking?.cancelTimers()
            records[peer]?.asking = nil
            startNext(of: peer)
            didBecomeIdle(peer)
        }
    }

    private func request(
        _ number: Int,
        of peer: PeerID,
        _ work: @escaping @Sendable (any Link) async throws -> [UInt8]
    ) {
        let link = records[peer]?.link
        records[peer]?.asking?.request = Task {
            do {
                guard let link else {
                    throw RadioError(.peerGone, "there is no link to \(peer)")
                }
                let value = try await work(link)
                advance(number, of: peer) { $0.requestSucceeded(value) }
            } catch {
                advance(number, of: peer) { $0.requestFailed(error) }
            }
        }
    }

    private func connect(_ number: Int, to peer: PeerID, after useless: (any Link)?) {
        records[peer]?.asking?.request = Task {
            if let useless { await disconnect(useless) }
            do {
                let link = try await link(to: peer, for: number)
                let mtuBytes = await link.mtuBytes
                let isPrivate = EightBallService.hasPrivatePair(await link.services)
                advance(number, of: peer) {
                    $0.connected(mtuBytes: mtuBytes, isPrivate: isPrivate)
                }
            } catch {
                advance(number, of: peer) { $0.requestFailed(error) }
            }
        }
    }

    private func startTimer(
        _ timer: Exchange.Timer,
        _ limit: Duration,
        for number: Int,
        of peer: PeerID
    ) {
        let task = Task {
            do {
                try await clock.sleep(for: limit)
                try Task.checkCancellation()
                if case .question = timer {
                    expire(number, of: peer)
                } else {
                    advance(number, of: peer) { $0.timedOut(timer) }
                }
            } catch {
                // Cancelled: what was timed has ended.
            }
        }
        records[peer]?.change(number) { $0.setTimer(timer, task) }
    }

    /// Tells observers, and who waits, what came of a question.
    func tell(
        _ result: Result<Answer, EightBallError>,
        of asking: BallRecord.Asking,
        to ball: any PeripheralDevice
    ) {
        let question = asking.exchange.question
        switch result {
        case .success(let answer):
            records[ball.id]?.answer = answer
            observers.tell {
                await $0.central(self, didReceive: answer, to: question, from: ball)
            }
            asking.outcome?.yield(answer)
            asking.outcome?.finish()
        case .failure(let failure):
            error = failure
            records[ball.id]?.error = failure
            observers.tell {
                await $0.central(self, didFailToAsk: question, of: ball, because: failure)
            }
            asking.outcome?.finish(throwing: failure)
        }
    }
}
