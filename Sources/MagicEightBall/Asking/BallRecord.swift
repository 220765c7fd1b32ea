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
        private var timers: [Exchange.Timer: Task<Void, Never>] = [:]

        init(
            id: Int,
            exchange: Exchange,
            outcome: AsyncThrowingStream<Answer, any Error>.Continuation?
        ) {
            self.id = id
            self.exchange = exchange
            self.outcome = outcome
        }

        mutating func setTimer(_ timer: Exchange.Timer, _ task: Task<Void, Never>) {
            timers.updateValue(task, forKey: timer)?.cancel()
        }

        func cancelTimers() {
            for timer in Exchange.Timer.allCases { timers[timer]?.cancel() }
        }
    }

    var ball: DiscoveredBall
    var presence: Presence
    /// The radio has forgotten the ball; only its link keeps it.
    var isForgotten = false

    var link: (any Link)?
    /// How the ball takes a question, as its services say.
    var questionWriteKind = WriteKind.withResponse
    var linkEvents: Task<Void, Never>?
    /// Calls that wait until the link has ended.
    var linkEnds = EndWaiters()
    /// Ends the link when no question has needed it for long.
    var idleTimer: Task<Void, Never>?
    /// Which links have been idle longer: those of lower numbers.
    var idleNumber = 0

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

    /// Whether there is a link that no question needs.
    var isIdle: Bool { link != nil && asking == nil && waiting.isEmpty }

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
