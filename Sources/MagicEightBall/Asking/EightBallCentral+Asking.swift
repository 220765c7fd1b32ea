internal import BLE
internal import BLESession

// Asking: carries out the actions of an exchange, and hands it what came back.
extension EightBallCentral {
    /// Asks a ball a question, and waits for the answer.
    ///
    /// - Parameters:
    ///   - question: what to ask.
    ///   - device: a ball that this central has discovered.
    /// - Returns: the answer.
    /// - Throws: ``EightBallError``, `CancellationError`; see ``AskingCentral/ask(_:of:)``.
    public nonisolated func ask(
        _ question: Question,
        of device: any BallDevice
    ) async throws -> Answer {
        try Task.checkCancellation()
        // It waits where it was called: it changes threads once on the way there, and once back.
        let (answers, outcome) = AsyncThrowingStream.makeStream(of: Answer.self)
        let number = nextNumber()
        perform { $0.begin(question, of: device, as: number, outcome: outcome) }
        for try await answer in answers { return answer }
        // Without an answer the stream ends only when the task is cancelled.
        perform { $0.cancel(number, of: device.id) }
        throw CancellationError()
    }

    /// Begins to ask, or puts the question behind those that wait; its end is reported, and told to
    /// the outcome.
    func begin(
        _ question: Question,
        of device: any BallDevice,
        as number: Int,
        outcome: AsyncThrowingStream<Answer, any Error>.Continuation?
    ) {
        let asking = BallRecord.Asking(
            id: number,
            exchange: Exchange(terms(of: question, to: device)),
            outcome: outcome
        )
        let peer = device.id
        if let failure = refusal(of: question, to: device) {
            return finish(asking, of: device, with: .failure(failure))
        }
        if records[peer]?.isBusy == true {
            records[peer]?.waiting.append(asking)
        } else {
            start(asking, of: peer)
        }
        startTimer(.question, timeouts.question, for: asking.id, of: peer)
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

    /// Begins with a question; none is being asked of its ball.
    func start(_ asking: BallRecord.Asking, of peer: PeerID) {
        links.beginUse(of: peer)
        records[peer]?.asking = asking
        records[peer]?.question = nil
        records[peer]?.answer = nil
        records[peer]?.error = nil
        advance(asking.id, of: peer) { $0.begin() }
    }

    /// Hands an exchange an event, and carries out the actions that follow.
    ///
    /// An event of an earlier question is left out.
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
            requestLink(for: asking.id, to: peer)
        case .reconnect(let failure):
            let useless = dropLink(to: peer, because: failure)
            requestLink(for: asking.id, to: peer, after: useless)
        case .subscribe(let attribute):
            request(asking.id, of: peer) {
                try await $0.subscribe(to: attribute)
                return []
            }
        case .write(let value, let attribute):
            let isUnconfirmed =
                record.manner?.writeKind == .withoutResponse
                && attribute == EightBallService.question
            request(asking.id, of: peer, isConfirmed: !isUnconfirmed) {
                if isUnconfirmed {
                    try await $0.writeWithoutResponse(value, to: attribute)
                } else {
                    try await $0.write(value, to: attribute)
                }
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
        case .reportAccepted:
            let question = asking.exchange.question
            records[peer]?.question = question
            report(.asked(question, of: record.ball))
        case .finish(let result):
            finish(asking, of: record.ball, with: result)
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
        isConfirmed: Bool = true,
        _ work: @escaping @Sendable (any Link) async throws -> [UInt8]
    ) {
        let link = links[peer]
        let time = clock.stopwatch()
        records[peer]?.asking?.request = executor.task(of: self) { central in
            do {
                guard let link else {
                    throw RadioError(.peerGone, "there is no link to \(peer)")
                }
                let value = try await work(link)
                let duration = isConfirmed ? time() : nil
                central.advance(number, of: peer) { $0.requestSucceeded(value, after: duration) }
            } catch {
                central.advance(number, of: peer) { $0.requestFailed(error) }
            }
        }
    }

    private func requestLink(
        for number: Int,
        to peer: PeerID,
        after useless: (any Link)? = nil
    ) {
        records[peer]?.asking?.request = executor.task(of: self) { central in
            if let useless { await central.disconnect(useless) }
            do {
                let link = try await central.link(to: peer, for: number)
                let mtuBytes = await link.mtuBytes
                let isPrivate = central.records[peer]?.manner?.isPrivate == true
                central.advance(number, of: peer) {
                    $0.connected(mtuBytes: mtuBytes, isPrivate: isPrivate)
                }
            } catch {
                central.advance(number, of: peer) { $0.requestFailed(error) }
            }
        }
    }

    func startTimer(
        _ timer: Exchange.Timer,
        _ limit: Duration,
        for number: Int,
        of peer: PeerID
    ) {
        let deadline = Deadline(after: limit, on: clock, of: self) { central in
            if case .question = timer {
                central.expire(number, of: peer)
            } else {
                central.advance(number, of: peer) { $0.timedOut(timer) }
            }
        }
        records[peer]?.change(number) { $0.setTimer(timer, deadline) }
    }

    /// Reports the end of a question, and ends the call that waits for it.
    func finish(
        _ asking: BallRecord.Asking,
        of ball: any BallDevice,
        with result: Result<Answer, EightBallError>
    ) {
        let question = asking.exchange.question
        switch result {
        case .success(let answer):
            records[ball.id]?.answer = answer
            report(.answered(question, answer, from: ball))
            asking.outcome?.yield(answer)
            asking.outcome?.finish()
        case .failure(let failure):
            records[ball.id]?.error = failure
            report(.failedToAsk(question, of: ball, failure))
            asking.outcome?.finish(throwing: failure)
        }
    }
}
