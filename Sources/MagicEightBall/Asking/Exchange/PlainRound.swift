internal import BLE

/// A round with the original's two characteristics, Question and Answer.
///
/// Before the reply to the write a notification may be another asker's answer, for a ball notifies all
/// its subscribers: it counts only when the question is accepted, and no other comes soon.
struct PlainRound: QuestionRound {
    private enum State {
        case ready
        case subscribing
        /// The question is written. A notification came before the reply: the last one is kept.
        case asking(early: [UInt8]?)
        /// The ball was busy, and is asked again soon.
        case pausing
        /// The question is accepted; there may be an early answer still.
        case answering(early: [UInt8]?)
        /// The question is cancelled, and its answer may come yet: it looks like that to the next question,
        /// which waits for it.
        case ignoring
        /// The outcome is reported; a request is under way still.
        case abandoning(mayBeSubscribed: Bool)
        /// The outcome is reported.
        case unsubscribing
        case ended
    }

    /// How many times what the ball took for its reply an early answer is held.
    private static let earlyAnswerFactor = 4

    private let terms: ExchangeTerms
    private let mtuBytes: Int
    private var state = State.ready
    /// How the ball refused last, as busy; what a question fails with that is never accepted.
    private var refusal: EightBallError?

    init(_ terms: ExchangeTerms, mtuBytes: Int) {
        self.terms = terms
        self.mtuBytes = mtuBytes
    }

    var isFinished: Bool {
        switch state {
        case .ready, .subscribing, .asking, .pausing, .answering: false
        case .ignoring, .abandoning, .unsubscribing, .ended: true
        }
    }

    var stage: EightBallError.Stage {
        switch state {
        case .ready, .subscribing: .subscribing
        case .asking, .pausing: .asking
        case .answering, .ignoring, .abandoning, .unsubscribing, .ended: .answering
        }
    }

    mutating func begin() -> [Exchange.Action] {
        let limit = EightBallService.writeByteCount(mtuBytes: mtuBytes)
        guard terms.question.text.utf8.count <= limit else {
            state = .ended
            return [.finish(.failure(tooLong(limit: limit))), .end]
        }
        state = .subscribing
        return [
            .startTimer(.answer, terms.timeouts.answer),
            .startTimer(.step, terms.timeouts.subscription),
            .subscribe(EightBallService.answer),
        ]
    }

    mutating func requestSucceeded(_ value: [UInt8], after time: Duration?) -> [Exchange.Action] {
        switch state {
        case .subscribing:
            return ask()
        case .asking(let early):
            state = .answering(early: early)
            guard early != nil else { return [.reportAccepted] }
            return [.reportAccepted, .startTimer(.step, earlyAnswerLimit(after: time))]
        case .abandoning(mayBeSubscribed: true):
            state = .unsubscribing
            return [.unsubscribe(EightBallService.answer)]
        case .abandoning(mayBeSubscribed: false), .unsubscribing:
            state = .ended
            return [.end]
        case .ready, .pausing, .answering, .ignoring, .ended:
            return []
        }
    }

    mutating func requestFailed(_ error: any Error) -> [Exchange.Action] {
        switch state {
        case .subscribing:
            let failure = terms.failure(.subscribing, error)
            state = .ended
            return [.finish(.failure(failure)), .end]
        case .asking:
            let failure = terms.failure(.asking, error)
            guard let pause = terms.whenBusy.pause(after: failure) else {
                return conclude(.failure(failure))
            }
            refusal = failure
            state = .pausing
            return [.startPause(pause)]
        case .abandoning(mayBeSubscribed: true):
            state = .unsubscribing
            return [.unsubscribe(EightBallService.answer)]
        case .abandoning(mayBeSubscribed: false), .unsubscribing:
            state = .ended
            return [.end]
        case .ready, .pausing, .answering, .ignoring, .ended:
            return []
        }
    }

    mutating func notified(_ value: [UInt8], of attribute: AttributeID) -> [Exchange.Action] {
        guard attribute == EightBallService.answer else { return [] }
        switch state {
        case .asking:
            state = .asking(early: value)
            return []
        case .answering:
            return conclude(terms.answer(value))
        case .ignoring:
            return unsubscribe()
        case .ready, .subscribing, .pausing, .abandoning, .unsubscribing, .ended:
            return []
        }
    }

    mutating func lost(_ error: EightBallError) -> [Exchange.Action] {
        switch state {
        case .subscribing, .asking:
            return giveUp(error, mayBeSubscribed: false)
        case .pausing:
            state = .ended
            return [.finish(.failure(error)), .end]
        case .answering(let early):
            state = .ended
            return [.finish(early.map(terms.answer) ?? .failure(error)), .end]
        case .ignoring:
            state = .ended
            return [.end]
        case .abandoning, .unsubscribing:
            state = .abandoning(mayBeSubscribed: false)
            return [.cancelRequest]
        case .ready, .ended:
            return []
        }
    }

    mutating func abandon(_ error: EightBallError) -> [Exchange.Action] {
        switch state {
        case .subscribing, .asking:
            return giveUp(error, mayBeSubscribed: true)
        case .answering(nil):
            state = .ignoring
            return [.finish(.failure(error))]
        case .pausing, .answering:
            return conclude(.failure(error))
        case .ready, .ignoring, .abandoning, .unsubscribing, .ended:
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
        case (.answering(let early?), _):
            return conclude(terms.answer(early))
        case (.pausing, .answer), (.asking, .answer):
            return abandon(refusal ?? terms.lateInAll(stage, terms.timeouts.answer))
        case (.pausing, .question), (.asking, .question):
            return abandon(refusal ?? terms.lateInAll(stage, terms.timeouts.question))
        case (.subscribing, .answer):
            return abandon(terms.lateInAll(stage, terms.timeouts.answer))
        case (.answering(nil), .answer):
            return conclude(.failure(terms.lateInAll(stage, terms.timeouts.answer)))
        case (.ignoring, .answer):
            return unsubscribe()
        case (.subscribing, .question):
            return abandon(terms.lateInAll(stage, terms.timeouts.question))
        case (.answering(nil), .question):
            return conclude(.failure(terms.lateInAll(stage, terms.timeouts.question)))
        case (.abandoning, .answer), (.unsubscribing, .answer):
            // The ball does not even confirm the unsubscription.
            state = .ended
            return [.cancelRequest, .disconnect, .end]
        case (.answering(nil), .step), (.ignoring, _), (.abandoning, _), (.unsubscribing, _),
            (.ready, _), (.ended, _):
            return []
        }
    }
}

extension PlainRound {
    private mutating func ask() -> [Exchange.Action] {
        state = .asking(early: nil)
        return [
            .startTimer(.step, terms.timeouts.acceptance),
            .write(Array(terms.question.text.utf8), EightBallService.question),
        ]
    }

    private mutating func conclude(
        _ result: Result<Answer, EightBallError>
    ) -> [Exchange.Action] {
        [.finish(result)] + unsubscribe()
    }

    private mutating func unsubscribe() -> [Exchange.Action] {
        state = .unsubscribing
        return [
            .startTimer(.answer, terms.timeouts.answer), .unsubscribe(EightBallService.answer),
        ]
    }

    private mutating func giveUp(
        _ error: EightBallError,
        mayBeSubscribed: Bool
    ) -> [Exchange.Action] {
        state = .abandoning(mayBeSubscribed: mayBeSubscribed)
        return [
            .finish(.failure(error)), .startTimer(.answer, terms.timeouts.answer), .cancelRequest,
        ]
    }

    /// How long another answer may come after an early one.
    ///
    /// It travels from the ball to here, as the reply did: that took no longer than the whole write.
    private func earlyAnswerLimit(after time: Duration?) -> Duration {
        let limit = terms.timeouts.earlyAnswer
        return time.map { min($0 * Self.earlyAnswerFactor, limit) } ?? limit
    }

    private func tooLong(limit: Int) -> EightBallError {
        EightBallError(
            .rejected(.tooLong),
            "'\(terms.ballName)' was not asked: the question has \(terms.question.text.utf8.count) "
                + "bytes of UTF-8, and the link carries \(limit)"
        )
    }
}
