/// What an asker does when a ball refuses a question as ``RejectionReason/deviceBusy``.
///
/// Only the ball's own refusal is meant, not that of a central whose queue is full.
public enum BusyPolicy: Hashable, Sendable {
    /// Fails at once.
    case giveUp

    /// Asks again after a pause, as often as the question's limits allow.
    ///
    /// The pause varies by up to half its length to either side, so that two askers do not keep
    /// meeting. When ``Timeouts/answer`` or ``Timeouts/question`` is over meanwhile, the question
    /// ends with the last refusal.
    ///
    /// - Parameter pause: how long to wait on average.
    case retry(pause: Duration)

    /// How long to wait before the ball is asked again; `nil` for not at all.
    func pause(after failure: EightBallError) -> Duration? {
        guard failure.code.rejectionReason?.kind == .deviceBusy, case .retry(let pause) = self
        else {
            return nil
        }
        return pause
    }
}
