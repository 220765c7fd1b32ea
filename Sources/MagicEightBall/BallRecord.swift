internal import BLE

/// What a central knows of a ball.
struct BallRecord {
    /// One question, with what is under way for it.
    struct Asking {
        /// Tells a late report from one that is meant for this question.
        let id: Int
        var exchange: Exchange
        /// Who waits for the answer; `nil` when only observers do.
        let outcome: AsyncThrowingStream<Answer, any Error>.Continuation?
        var request: Task<Void, Never>?
        var timers: [Exchange.Timer: Task<Void, Never>] = [:]

        func cancelTimers() {
            for timer in timers.values { timer.cancel() }
        }
    }

    let ball: Ball
    var rssi: RSSI?
    /// The radio has forgotten the ball; only its link keeps it.
    var isForgotten = false

    var link: (any Link)?
    var linkEvents: Task<Void, Never>?

    var asking: Asking?
    /// What is asked as soon as the last question has been cleared up.
    var next: Asking?

    var question: Question?
    var answer: Answer?
    var error: EightBallError?

    init(_ ball: Ball) {
        self.ball = ball
    }
}
