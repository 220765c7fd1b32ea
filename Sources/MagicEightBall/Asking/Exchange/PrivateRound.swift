internal import BLE

/// A round with a ball that has Inquiry and Reply: what it says only its asker can read.
///
/// The ball tells all its subscribers that the reply to a tag is ready; whose tag it is reads it.
/// So nothing that is told can be taken for what it is not, and there is nothing to wait out. The
/// subscription stays for the next question, as long as the link.
struct PrivateRound: QuestionRound {
    private enum State {
        case ready
        case subscribing
        /// The inquiry is written; its reply may be ready before the write is confirmed.
        case asking(isReady: Bool)
        /// The ball was busy, and is asked again soon.
        case pausing
        /// The question is accepted.
        case answering
        /// The reply is read; meanwhile it may be told as ready again.
        case reading(isReadyAgain: Bool)
        /// What came of it is told; a request is under way still.
        case abandoning
        case ended
    }

    private let terms: ExchangeTerms
    private var state = State.ready
    /// How the ball refused last, as busy; what a question that is never accepted comes to.
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

    mutating func requestSucceeded(_ value: [UInt8]) -> [Exchange.Action] {
        switch state {
        case .subscribing:
            return ask()
        case .asking(let isReady):
            state = .answering
            let waiting = Exchange.Action.startTimer(.answer, terms.timeouts.privateAnswer)
            return [.tellAccepted, waiting] + (isReady ? read() : [])
        case .reading(let isReadyAgain):
            if let result = result(of: value) { return conclude(result) }
            state = .answering
            return isReadyAgain ? read() : []
        case .abandoning:
            state = .ended
            return [.end]
        case .ready, .pausing, .answering, .ended:
            return []
        }
    }

    mutating func requestFailed(_ error: any Error) -> [Exchange.Action] {
        switch state {
        case .subscribing, .reading:
            return conclude(.failure(terms.failure(stage, error)))
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
        // Other tags are other askers'; another kind is what BlueZ shows of somebody's read.
        guard attribute == EightBallService.reply, Reply(received: value) == .ready(terms.tag)
        else {
            return []
        }
        switch state {
        case .asking:
            state = .asking(isReady: true)
            return []
        case .answering:
            return read()
        case .reading:
            state = .reading(isReadyAgain: true)
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
        case .subscribing, .asking, .reading:
            state = .abandoning
            return [
                .finish(.failure(error)), .startTimer(.answer, terms.timeouts.answer),
                .cancelRequest,
            ]
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
        state = .asking(isReady: false)
        let inquiry = Inquiry(tag: terms.tag, question: Array(terms.question.text.utf8))
        return [
            .startTimer(.step, terms.timeouts.acceptance),
            .write(inquiry.bytes, EightBallService.inquiry),
        ]
    }

    private mutating func read() -> [Exchange.Action] {
        state = .reading(isReadyAgain: false)
        return [.read(EightBallService.reply)]
    }

    private mutating func conclude(
        _ result: Result<Answer, EightBallError>
    ) -> [Exchange.Action] {
        state = .ended
        return [.finish(result), .end]
    }

    /// What came of this question; `nil` when a value says nothing of it.
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
