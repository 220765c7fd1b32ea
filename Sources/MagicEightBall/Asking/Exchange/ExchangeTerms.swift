/// What stays the same for one question from its beginning to its end.
struct ExchangeTerms: Sendable {
    let question: Question
    /// What tells the question from all others, with a ball that has the private pair.
    let tag: QuestionTag
    let ballName: String
    let timeouts: Timeouts
    let whenBusy: BusyPolicy

    /// A request failed.
    func failure(_ stage: EightBallError.Stage, _ cause: any Error) -> EightBallError {
        EightBallError(attempt(stage), at: stage, failedWith: cause)
    }

    /// One step took too long.
    func late(_ stage: EightBallError.Stage, _ limit: Duration) -> EightBallError {
        EightBallError(attempt(stage), at: stage, tookLongerThan: limit)
    }

    /// Several steps took too long; the last one is named.
    func lateInAll(_ stage: EightBallError.Stage, _ limit: Duration) -> EightBallError {
        EightBallError(
            "asking '\(ballName)', last \(activity(stage)),",
            at: stage,
            tookLongerThan: limit
        )
    }

    /// What an answer's bytes say.
    func answer(_ value: [UInt8]) -> Result<Answer, EightBallError> {
        if let text = EightBallService.text(value) { return .success(Answer(received: text)) }
        let fault = value.isEmpty ? "an empty answer" : "\(value.count) bytes that are not UTF-8"
        return .failure(
            EightBallError(.protocolViolation, "'\(ballName)' answered '\(question)' with \(fault)")
        )
    }

    private func activity(_ stage: EightBallError.Stage) -> String {
        switch stage {
        case .queued: "waiting for the questions before it"
        case .radio, .connecting: "connecting"
        case .resolving: "reading its services"
        case .subscribing: "subscribing to the answer"
        case .asking: "writing the question"
        case .answering: "waiting for the answer"
        }
    }

    private func attempt(_ stage: EightBallError.Stage) -> String {
        switch stage {
        case .queued: "waiting to ask '\(ballName)' '\(question)'"
        case .radio, .connecting: "connecting to '\(ballName)'"
        case .resolving: "reading the services of '\(ballName)'"
        case .subscribing: "subscribing to the answers of '\(ballName)'"
        case .asking: "asking '\(ballName)' '\(question)'"
        case .answering: "waiting for the answer of '\(ballName)'"
        }
    }
}
