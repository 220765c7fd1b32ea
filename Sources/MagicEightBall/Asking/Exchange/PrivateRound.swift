internal import BLE

/// A round with a ball that has Private Question and Reply: only its asker's host can read the reply.
///
/// The ball notifies all its subscribers that the reply to a tag is ready; whose tag it is reads it.
/// So no value can be taken for what it is not, and there is nothing to wait out. The subscription
/// stays for the next question, as long as the link.
///
/// Programs on one host are one device to the ball. A read gives the next of the device's replies, and
/// the system shows it to all of them: the round takes its own from whichever read it came, and reads
/// on while it gets those to others.
struct PrivateRound: QuestionRound {
    /// How often Reply is read in a row: more than a ball keeps replies for one device.
    static let maximumReadCount = 20

    private enum State {
        case ready
        case subscribing
        /// The private question is written; its reply may be ready before the write is confirmed.
        case asking(Notified)
        /// The ball was busy, and is asked again soon.
        case pausing
        /// The question is accepted.
        case answering
        /// Reply is read, for the nth time in a row.
        case reading(Notified, count: Int)
        /// The outcome is reported; a request is under way still.
        case abandoning
        case ended
    }

    /// What was notified while a request was under way.
    private struct Notified {
        /// The reply is ready.
        var isReady = false
        /// The reply itself, which another program on this host has read.
        var result: Result<Answer, EightBallError>?

        mutating func take(_ result: Result<Answer, EightBallError>?) {
            isReady = true
            self.result = result ?? self.result
        }
    }

    private let terms: ExchangeTerms
    private var state = State.ready
    /// How the ball refused last, as busy; what a question fails with that is never accepted.
    private var refusal: EightBallError?

    init(_ terms: ExchangeTerms) {
        self.terms = terms
    }

    var isFinished: Bool {
        switch state {
        case .ready, .subscribing, .asking, .pausing, .answering, .reading: false
        case .abandoning, .ended: true
        }
    }

    var stage: EightBallError.Stage {
        switch state {
        case .ready, .subscribing: .subscribing
        case .asking, .pausing: .asking
        case .answering, .reading, .abandoning, .ended: .answering
        }
    }

    mutating func begin() -> [Exchange.Action] {
        state = .subscribing
        return [
            .startTimer(.answer, terms.timeouts.answer),
            .startTimer(.step, terms.timeouts.subscription),
            .subscribe(EightBallService.reply),
        ]
    }

    mutating func requestSucceeded(_ value: [UInt8], after _: Duration?) -> [Exchange.Action] {
        switch state {
        case .subscribing:
            return ask()
        case .asking(let notified):
            state = .answering
            let waiting = Exchange.Action.startTimer(.answer, terms.timeouts.privateAnswer)
            return [.reportAccepted, waiting] + proceed(notified)
        case .reading(let notified, let count):
            if let result = result(of: value) { return conclude(result) }
            state = .answering
            guard notified.result == nil, isForeign(value), count < Self.maximumReadCount else {
                return proceed(notified)
            }
            return read(count: count + 1)
        case .abandoning:
            state = .ended
            return [.end]
        case .ready, .pausing, .answering, .ended:
            return []
        }
    }

    mutating func requestFailed(_ error: any Error) -> [Exchange.Action] {
        switch state {
        case .subscribing:
            return conclude(.failure(terms.failure(stage, error)))
        case .reading(let notified, _):
            return conclude(notified.result ?? .failure(terms.failure(stage, error)))
        case .asking:
            let failure = rejection(error)
            guard let pause = terms.whenBusy.pause(after: failure) else {
                return conclude(.failure(failure))
            }
            refusal = failure
            state = .pausing
            return [.startPause(pause)]
        case .abandoning:
            state = .ended
            return [.end]
        case .ready, .pausing, .answering, .ended:
            return []
        }
    }

    mutating func notified(_ value: [UInt8], of attribute: AttributeID) -> [Exchange.Action] {
        guard attribute == EightBallService.reply, Reply(received: value)?.tag == terms.tag
        else {
            return []
        }
        switch state {
        case .asking(var notified):
            notified.take(result(of: value))
            state = .asking(notified)
            return []
        case .answering:
            return proceed(Notified(isReady: true, result: result(of: value)))
        case .reading(var notified, let count):
            notified.take(result(of: value))
            state = .reading(notified, count: count)
            return []
        case .ready, .subscribing, .pausing, .abandoning, .ended:
            return []
        }
    }

    mutating func lost(_ error: EightBallError) -> [Exchange.Action] {
        guard case .abandoning = state else { return abandon(error) }
        return [.cancelRequest]
    }

    mutating func abandon(_ error: EightBallError) -> [Exchange.Action] {
        switch state {
        case .subscribing, .asking:
            return giveUp(.failure(error))
        case .reading(let notified, _):
            return giveUp(notified.result ?? .failure(error))
        case .pausing, .answering:
            return conclude(.failure(error))
        case .ready, .abandoning, .ended:
            return []
        }
    }

    mutating func timedOut(_ timer: Exchange.Timer) -> [Exchange.Action] {
        switch (state, timer) {
        case (.subscribing, .step):
            return abandon(terms.late(stage, terms.timeouts.subscription))
        case (.asking, .step):
            return abandon(terms.late(stage, terms.timeouts.acceptance))
        case (.pausing, .step):
            return ask()
        case (.pausing, .answer), (.asking, .answer):
            return abandon(refusal ?? terms.lateInAll(stage, terms.timeouts.answer))
        case (.pausing, .question), (.asking, .question):
            return abandon(refusal ?? terms.lateInAll(stage, terms.timeouts.question))
        case (.subscribing, .answer):
            return abandon(terms.lateInAll(stage, terms.timeouts.answer))
        case (.answering, .answer), (.reading, .answer):
            return abandon(terms.late(stage, terms.timeouts.privateAnswer))
        case (.subscribing, .question), (.answering, .question), (.reading, .question):
            return abandon(terms.lateInAll(stage, terms.timeouts.question))
        case (.abandoning, .answer):
            state = .ended
            return [.cancelRequest, .disconnect, .end]
        case (.answering, .step), (.reading, .step), (.abandoning, _), (.ready, _), (.ended, _):
            return []
        }
    }
}

extension PrivateRound {
    private mutating func ask() -> [Exchange.Action] {
        state = .asking(Notified())
        let privateQuestion = PrivateQuestion(
            tag: terms.tag,
            question: Array(terms.question.text.utf8)
        )
        return [
            .startTimer(.step, terms.timeouts.acceptance),
            .write(privateQuestion.bytes, EightBallService.privateQuestion),
        ]
    }

    /// Reports the outcome while a request is under way.
    private mutating func giveUp(
        _ result: Result<Answer, EightBallError>
    ) -> [Exchange.Action] {
        state = .abandoning
        return [.finish(result), .startTimer(.answer, terms.timeouts.answer), .cancelRequest]
    }

    /// Goes on with what was notified meanwhile.
    private mutating func proceed(_ notified: Notified) -> [Exchange.Action] {
        if let result = notified.result { return conclude(result) }
        return notified.isReady ? read(count: 1) : []
    }

    private mutating func read(count: Int) -> [Exchange.Action] {
        state = .reading(Notified(), count: count)
        return [.read(EightBallService.reply)]
    }

    /// Whether a value is the reply to another program on this host.
    private func isForeign(_ value: [UInt8]) -> Bool {
        guard case .outcome(let tag, _) = Reply(received: value) else { return false }
        return tag != terms.tag
    }

    private mutating func conclude(
        _ result: Result<Answer, EightBallError>
    ) -> [Exchange.Action] {
        state = .ended
        return [.finish(result), .end]
    }

    /// The outcome of this question; `nil` when a value is not about it.
    private func result(of value: [UInt8]) -> Result<Answer, EightBallError>? {
        switch Reply(received: value) {
        case .outcome(terms.tag, .answered(let text)):
            return terms.answer(text)
        case .outcome(terms.tag, .rejected(let reason)):
            let message =
                "'\(terms.ballName)' accepted '\(terms.question)', then refused: \(reason)"
            return .failure(EightBallError(.rejected(reason), message))
        case .outcome, .ready, nil:
            return nil
        }
    }

    /// 0x0E says here that the ball's program or system failed: no question mark has 0x91.
    private func rejection(_ error: any Error) -> EightBallError {
        let failure = terms.failure(.asking, error)
        guard let code = error as? ATTError, code == .unlikelyError else { return failure }
        return EightBallError(
            .rejected(.peripheralError),
            "asking '\(terms.ballName)' '\(terms.question)' was refused with \(code): "
                + "\(RejectionReason.peripheralError)",
            underlying: error
        )
    }
}
