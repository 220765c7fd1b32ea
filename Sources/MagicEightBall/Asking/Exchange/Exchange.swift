internal import BLE

/// The states of one question to one ball: events go in, actions come out.
///
/// Whoever carries the actions out has at most one request under way, and reports how it ended.
/// A notification may come at any time. The link comes first; the exchange over it is a round of its
/// own, ``PrivateRound`` with a ball that has the private pair, else ``PlainRound``.
struct Exchange: Sendable {
    /// What is to be done.
    enum Action: Sendable {
        /// Makes a request; ``Exchange/connected(mtuBytes:isPrivate:)``,
        /// ``Exchange/requestSucceeded(_:after:)`` or ``Exchange/requestFailed(_:)`` reports how it ended.
        case connect, subscribe(AttributeID), write([UInt8], AttributeID)
        case read(AttributeID), unsubscribe(AttributeID)
        /// As to connect, after the present link, which is of no use, has been given up.
        case reconnect(because: EightBallError)
        /// Cancels the request that is under way; its end is reported all the same.
        case cancelRequest
        case disconnect
        /// Measures a time anew; ``Exchange/timedOut(_:)`` reports that it is over.
        case startTimer(Timer, Duration)
        /// As to start the timer of a step, with about this time: no two askers wait alike.
        case startPause(Duration)
        /// Reports that the question is accepted.
        case reportAccepted
        /// Reports the outcome of the question; exactly once.
        case finish(Result<Answer, EightBallError>)
        /// Nothing more comes, and no timer is needed.
        case end
    }

    /// What a time is measured for.
    enum Timer: CaseIterable, Sendable {
        /// One request, or one pause.
        case step
        /// All that follows the connection, or what follows the outcome.
        case answer
        /// The whole question; who began the exchange measures it.
        case question
    }

    private enum State {
        case ready
        case connecting(isLinked: Bool)
        /// The outcome is reported; the connection is under way still.
        case abandoning
        case talking(any QuestionRound)
        /// The link ended before anything was asked; the subscription is under way still.
        case losing(EightBallError)
        case ended
    }

    let terms: ExchangeTerms
    private var state = State.ready
    /// Programs that share an adapter may end a link for each other more than once.
    private static let maximumReconnectCount = 3
    private var reconnectCount = 0

    init(_ terms: ExchangeTerms) {
        self.terms = terms
    }

    var question: Question { terms.question }

    /// Whether the outcome is reported already.
    var isFinished: Bool {
        switch state {
        case .ready, .connecting, .losing: false
        case .talking(let round): round.isFinished
        case .abandoning, .ended: true
        }
    }

    /// Whether a link is being made.
    var isConnecting: Bool {
        switch state {
        case .connecting, .losing, .abandoning: true
        case .ready, .talking, .ended: false
        }
    }

    mutating func begin() -> [Action] {
        state = .connecting(isLinked: false)
        return [.startTimer(.step, terms.timeouts.connection), .connect]
    }

    /// There is a link; the ball's services are not known yet.
    mutating func linked() -> [Action] {
        guard case .connecting(isLinked: false) = state else { return [] }
        state = .connecting(isLinked: true)
        return [.startTimer(.step, terms.timeouts.resolution)]
    }

    /// The link can be used; the ball has the private pair, or not.
    mutating func connected(mtuBytes: Int, isPrivate: Bool) -> [Action] {
        switch state {
        case .connecting:
            state = .talking(
                isPrivate ? PrivateRound(terms) : PlainRound(terms, mtuBytes: mtuBytes)
            )
            return talk { $0.begin() }
        case .abandoning:
            return endAbandoning()
        case .ready, .talking, .losing, .ended:
            return []
        }
    }

    /// What was read comes along, nothing for a request that is no read, and how long the peer took to
    /// confirm it, where it does.
    mutating func requestSucceeded(_ value: [UInt8] = [], after time: Duration? = nil) -> [Action] {
        if case .losing(let loss) = state { return reconnect(because: loss) }
        if case .abandoning = state { return endAbandoning() }
        return talk { $0.requestSucceeded(value, after: time) }
    }

    mutating func requestFailed(_ error: any Error) -> [Action] {
        switch state {
        case .connecting:
            let failure = terms.failure(stage, error)
            state = .ended
            return [.finish(.failure(failure)), .end]
        case .abandoning:
            return endAbandoning()
        case .talking(let round):
            if !round.isFinished, let refusal = error as? ATTError, refusal.meansChangedServices {
                return leave(round, because: refusal)
            }
            guard mayReconnect(after: error) else { return talk { $0.requestFailed(error) } }
            return reconnect(
                because: EightBallError(
                    .deviceOffline,
                    "the link to '\(terms.ballName)' was just being ended; connecting anew",
                    underlying: error
                )
            )
        case .losing(let loss):
            return reconnect(because: loss)
        case .ready, .ended:
            return []
        }
    }

    /// The ball notified a value; it may be meant for another asker.
    mutating func notified(_ value: [UInt8], of attribute: AttributeID) -> [Action] {
        talk { $0.notified(value, of: attribute) }
    }

    /// The link, or the ball's service, is gone, and every subscription with it.
    mutating func lost(_ error: EightBallError) -> [Action] {
        guard let cause = error.underlying, mayReconnect(after: cause) else {
            return talk { $0.lost(error) }
        }
        state = .losing(error)
        return [.cancelRequest]
    }

    /// The question is cancelled.
    mutating func abandon(_ error: EightBallError) -> [Action] {
        switch state {
        case .ready:
            state = .ended
            return [.finish(.failure(error)), .end]
        case .connecting, .losing:
            state = .abandoning
            let limit = terms.timeouts.answer
            return [.finish(.failure(error)), .startTimer(.answer, limit), .cancelRequest]
        case .talking:
            return talk { $0.abandon(error) }
        case .abandoning, .ended:
            return []
        }
    }

    mutating func timedOut(_ timer: Timer) -> [Action] {
        switch (state, timer) {
        case (.connecting(let isLinked), .step):
            let limit = isLinked ? terms.timeouts.resolution : terms.timeouts.connection
            return abandon(terms.late(stage, limit))
        case (.losing, .step):
            return abandon(terms.late(stage, terms.timeouts.subscription))
        case (.abandoning, .answer):
            state = .ended
            return [.cancelRequest, .end]
        case (.talking(let round), .question) where round.isFinished:
            return []
        case (.ready, .question), (.connecting, .question), (.losing, .question):
            return abandon(terms.lateInAll(stage, terms.timeouts.question))
        case (.talking, _):
            return talk { $0.timedOut(timer) }
        case (.ready, _), (.connecting, .answer), (.losing, .answer), (.abandoning, _), (.ended, _):
            return []
        }
    }

    /// Whether it was the end of somebody's link, which BlueZ shows for two seconds more: a few
    /// times, and as long as nothing has been asked.
    private func mayReconnect(after error: any Error) -> Bool {
        guard case .talking(let round) = state, !round.isFinished, round.stage == .subscribing
        else {
            return false
        }
        guard reconnectCount < Self.maximumReconnectCount else { return false }
        return (error as? RadioError)?.code == .peerGone
    }

    /// The ball no longer has the services that were found when the link was made, and did not say so:
    /// no question can be asked over this link any more.
    private mutating func leave(
        _ round: any QuestionRound,
        because refusal: ATTError
    ) -> [Action] {
        let failure = terms.failure(round.stage, refusal)
        state = .ended
        return [.finish(.failure(failure)), .disconnect, .end]
    }

    private mutating func reconnect(because reason: EightBallError) -> [Action] {
        reconnectCount += 1
        state = .connecting(isLinked: false)
        return [.startTimer(.step, terms.timeouts.connection), .reconnect(because: reason)]
    }

    private mutating func endAbandoning() -> [Action] {
        state = .ended
        return [.end]
    }

    private mutating func talk(_ event: (inout any QuestionRound) -> [Action]) -> [Action] {
        guard case .talking(var round) = state else { return [] }
        let actions = event(&round)
        state = .talking(round)
        return actions
    }

    /// What is being waited for.
    private var stage: EightBallError.Stage {
        switch state {
        case .ready: .queued
        case .connecting(let isLinked): isLinked ? .resolving : .connecting
        case .talking(let round): round.stage
        case .losing: .subscribing
        case .abandoning, .ended: .answering
        }
    }
}
