internal import BLE
internal import BLESession

/// What a central knows of a ball.
struct BallRecord {
    /// One question, with what is under way for it.
    struct Asking {
        /// Tells a late report from one that is meant for this question.
        let id: Int
        var exchange: Exchange
        /// The call that waits for the answer; `nil` when only observers do.
        let outcome: AsyncThrowingStream<Answer, any Error>.Continuation?
        var request: Task<Void, Never>?
        private var timers: [Exchange.Timer: Deadline] = [:]

        init(
            id: Int,
            exchange: Exchange,
            outcome: AsyncThrowingStream<Answer, any Error>.Continuation?
        ) {
            self.id = id
            self.exchange = exchange
            self.outcome = outcome
        }

        mutating func setTimer(_ timer: Exchange.Timer, _ deadline: Deadline) {
            timers.updateValue(deadline, forKey: timer)?.cancel()
        }

        func cancelTimers() {
            for timer in Exchange.Timer.allCases { timers[timer]?.cancel() }
        }
    }

    /// A connection that is to be made for its own sake.
    struct Connecting {
        /// Tells a late report from one that is meant for this connection.
        let id: Int
        /// Makes the link; `nil` while a question does, or its turn has not come.
        var request: Task<Void, Never>?
        var timer: Deadline?
        /// What is being waited for.
        var stage = EightBallError.Stage.connecting
        /// The calls that wait for it; the last one that is cancelled ends it.
        private var callCount = 0
        private var ends = EndWaiters()

        init(id: Int) { self.id = id }

        mutating func addCall() -> AsyncThrowingStream<Never, any Error> {
            callCount += 1
            return ends.add()
        }

        /// A call was cancelled.
        ///
        /// - Returns: whether it was the last one.
        mutating func removeCall() -> Bool {
            callCount -= 1
            return callCount == 0
        }

        /// Lets the calls go on.
        mutating func end(throwing failure: EightBallError?) {
            timer?.cancel()
            ends.end(throwing: failure)
        }
    }

    /// How a ball takes a question.
    struct QuestionManner {
        /// Over the private pair.
        let isPrivate: Bool
        /// Over the original's.
        let writeKind: WriteKind

        init(_ services: [GATTService]) {
            isPrivate = EightBallService.hasPrivatePair(services)
            writeKind = EightBallService.questionWriteKind(services)
        }
    }

    var ball: DiscoveredBall
    var presence: Presence
    /// The radio has forgotten the ball; only its link keeps it.
    var isForgotten = false

    /// How the ball takes a question, as the services of its link say; `nil` without one.
    var manner: QuestionManner?
    var linkEvents: Task<Void, Never>?
    /// The connection that is made for no question; `nil` when none is.
    var connecting: Connecting?

    var asking: Asking?
    /// The questions after it, in order.
    var waiting: [Asking] = []

    var question: Question?
    var answer: Answer?
    var error: EightBallError?

    init(_ ball: DiscoveredBall, _ presence: Presence) {
        self.ball = ball
        self.presence = presence
    }

    /// How many questions have not ended yet.
    var unfinishedCount: Int {
        waiting.count + (asking?.exchange.isFinished == false ? 1 : 0)
    }

    /// Whether a link is being made.
    var isConnecting: Bool {
        connecting?.request != nil || asking?.exchange.isConnecting == true
    }

    /// Whether a question or a connection is under way; the others wait for it.
    var isBusy: Bool { asking != nil || connecting?.request != nil }

    /// Changes a question, whether it is being asked or waits; one that is neither is left out.
    mutating func change(_ number: Int, _ change: (inout Asking) -> Void) {
        if asking?.id == number {
            asking.mutate(change)
        } else if let index = waiting.firstIndex(where: { $0.id == number }) {
            change(&waiting[index])
        }
    }
}

extension BallRecord.Asking? {
    fileprivate mutating func mutate(_ change: (inout BallRecord.Asking) -> Void) {
        guard var asking = self else { return }
        change(&asking)
        self = asking
    }
}
