internal import BLE

/// The states of one question to one ball: what has happened goes in, what is to be done comes out.
///
/// Whoever carries the actions out has at most one request under way, and reports how it ended.
/// A notification may come at any time. Before the reply to the write it may be another asker's
/// answer, for a ball tells all its subscribers: it counts only when the question is accepted, and
/// no other comes soon.
struct Exchange: Sendable {
    /// What is to be done.
    enum Action: Sendable {
        /// Makes a request; ``Exchange/connected(mtuBytes:)``, ``Exchange/requestSucceeded()`` or
        /// ``Exchange/requestFailed(_:)`` reports how it ended.
        case connect, subscribe, write([UInt8]), unsubscribe
        /// As to connect, after the present link, which is of no use, has been given up.
        case reconnect(because: EightBallError)
        /// Cancels the request that is under way; its end is reported all the same.
        case cancelRequest
        case disconnect
        /// Measures a time anew; ``Exchange/timedOut()`` reports that it is over.
        case startTimer(Duration)
        /// Tells that the question is accepted.
        case tellAccepted
        /// Tells what came of the question; exactly once.
        case finish(Result<Answer, EightBallError>)
        /// Nothing more comes, and no timer is needed.
        case end
    }

    private enum State {
        case ready
        case connecting
        case subscribing
        /// The question is written. A notification came before the reply: the last one is kept.
        case asking(early: [UInt8]?)
        /// The question is accepted; there may be an early answer still.
        case answering(early: [UInt8]?)
        /// What came of it is told; a request is under way still.
        case abandoning(mayBeSubscribed: Bool)
        /// What came of it is told.
        case unsubscribing
        case ended
    }

    let question: Question
    private let ballName: String
    private let timeouts: Timeouts
    private var state = State.ready
    private var hasReconnected = false

    init(_ question: Question, ballName: String, timeouts: Timeouts) {
        self.question = question
        self.ballName = ballName
        self.timeouts = timeouts
    }

    /// Whether it is told already what came of the question.
    var isFinished: Bool {
        switch state {
        case .ready, .connecting, .subscribing, .asking, .answering: false
        case .abandoning, .unsubscribing, .ended: true
        }
    }

    mutating func begin() -> [Action] {
        state = .connecting
        return [.startTimer(timeouts.connection), .connect]
    }

    mutating func connected(mtuBytes: Int) -> [Action] {
        switch state {
        case .connecting:
            let limit = EightBallService.writeByteCount(mtuBytes: mtuBytes)
            guard question.text.utf8.count <= limit else {
                state = .ended
                return [.finish(.failure(tooLong(limit: limit))), .end]
            }
            state = .subscribing
            return [.startTimer(timeouts.answer), .subscribe]
        case .abandoning:
            state = .ended
            return [.end]
        case .ready, .subscribing, .asking, .answering, .unsubscribing, .ended:
            return []
        }
    }

    mutating func requestSucceeded() -> [Action] {
        switch state {
        case .subscribing:
            state = .asking(early: nil)
            return [.write(Array(question.text.utf8))]
        case .asking(let early):
            state = .answering(early: early)
            return early == nil ? [.tellAccepted] : [.tellAccepted, .startTimer(timeouts.doubt)]
        case .abandoning(mayBeSubscribed: true):
            state = .unsubscribing
            return [.unsubscribe]
        case .abandoning(mayBeSubscribed: false), .unsubscribing:
            state = .ended
            return [.end]
        case .ready, .connecting, .answering, .ended:
            return []
        }
    }

    mutating func requestFailed(_ error: any Error) -> [Action] {
        switch state {
        case .connecting, .subscribing:
            let failure = EightBallError(attempt, at: stage, failedWith: error)
            let isLinkGone = (error as? RadioError)?.code == .peerGone
            if case .subscribing = state, !hasReconnected, isLinkGone {
                // It was the end of somebody's link, which BlueZ shows for two seconds more. Nothing
                // has been asked yet.
                hasReconnected = true
                state = .connecting
                let reason = EightBallError(
                    .deviceOffline,
                    "the link to '\(ballName)' was just being ended; connecting anew",
                    underlying: error
                )
                return [.startTimer(timeouts.connection), .reconnect(because: reason)]
            }
            state = .ended
            return [.finish(.failure(failure)), .end]
        case .asking:
            return conclude(.failure(EightBallError(attempt, at: stage, failedWith: error)))
        case .abandoning(mayBeSubscribed: true):
            state = .unsubscribing
            return [.unsubscribe]
        case .abandoning(mayBeSubscribed: false), .unsubscribing:
            state = .ended
            return [.end]
        case .ready, .answering, .ended:
            return []
        }
    }

    /// The ball told an answer, to whomever.
    mutating func notified(_ value: [UInt8]) -> [Action] {
        switch state {
        case .asking:
            state = .asking(early: value)
            return []
        case .answering:
            return conclude(answer(value))
        case .ready, .connecting, .subscribing, .abandoning, .unsubscribing, .ended:
            return []
        }
    }

    /// The link, or the ball's service, is gone, and every subscription with it.
    mutating func lost(_ error: EightBallError) -> [Action] {
        switch state {
        case .subscribing, .asking:
            state = .abandoning(mayBeSubscribed: false)
            return [.finish(.failure(error)), .startTimer(timeouts.answer), .cancelRequest]
        case .answering(let early):
            state = .ended
            return [.finish(early.map(answer) ?? .failure(error)), .end]
        case .abandoning, .unsubscribing:
            state = .abandoning(mayBeSubscribed: false)
            return [.cancelRequest]
        case .ready, .connecting, .ended:
            return []
        }
    }

    /// The question is taken back.
    mutating func abandon(_ error: EightBallError) -> [Action] {
        switch state {
        case .ready:
            state = .ended
            return [.finish(.failure(error)), .end]
        case .connecting, .subscribing, .asking:
            let mayBeSubscribed = stage != .connecting
            state = .abandoning(mayBeSubscribed: mayBeSubscribed)
            return [.finish(.failure(error)), .startTimer(timeouts.answer), .cancelRequest]
        case .answering:
            return conclude(.failure(error))
        case .abandoning, .unsubscribing, .ended:
            return []
        }
    }

    mutating func timedOut() -> [Action] {
        switch state {
        case .connecting:
            let limit = timeouts.connection
            return abandon(EightBallError(attempt, at: stage, tookLongerThan: limit))
        case .answering(let early?):
            return conclude(answer(early))
        case .subscribing, .asking, .answering(nil):
            let attempt = "asking '\(ballName)', last \(activity),"
            let limit = timeouts.answer
            return abandon(EightBallError(attempt, at: stage, tookLongerThan: limit))
        case .abandoning, .unsubscribing:
            // The ball does not even take the subscription back.
            state = .ended
            return [.cancelRequest, .disconnect, .end]
        case .ready, .ended:
            return []
        }
    }
}

extension Exchange {
    private mutating func conclude(_ result: Result<Answer, EightBallError>) -> [Action] {
        state = .unsubscribing
        return [.finish(result), .startTimer(timeouts.answer), .unsubscribe]
    }

    private func answer(_ value: [UInt8]) -> Result<Answer, EightBallError> {
        if let text = EightBallService.text(value) { return .success(Answer(received: text)) }
        let fault = value.isEmpty ? "an empty answer" : "\(value.count) bytes that are not UTF-8"
        return .failure(
            EightBallError(.protocolViolation, "'\(ballName)' answered '\(question)' with \(fault)")
        )
    }

    private func tooLong(limit: Int) -> EightBallError {
        EightBallError(
            .rejected(.tooLong),
            "'\(ballName)' was not asked: the question has \(question.text.utf8.count) bytes of "
                + "UTF-8, and the link carries \(limit)"
        )
    }

    /// What is being waited for.
    private var stage: EightBallError.Stage {
        switch state {
        case .ready, .connecting: .connecting
        case .subscribing: .subscribing
        case .asking: .asking
        case .answering, .abandoning, .unsubscribing, .ended: .answering
        }
    }

    private var activity: String {
        switch stage {
        case .radio, .connecting: "connecting"
        case .subscribing: "subscribing to the answer"
        case .asking: "writing the question"
        case .answering: "waiting for the answer"
        }
    }

    private var attempt: String {
        switch stage {
        case .radio, .connecting: "connecting to '\(ballName)'"
        case .subscribing: "subscribing to the answers of '\(ballName)'"
        case .asking: "asking '\(ballName)' '\(question)'"
        case .answering: "waiting for the answer of '\(ballName)'"
        }
    }
}
