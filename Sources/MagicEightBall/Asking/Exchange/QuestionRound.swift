internal import BLE

/// The requests over a link for one question, from the subscription on.
///
/// Source: Docs/Wire.md.
protocol QuestionRound: Sendable {
    /// Whether the outcome is reported already.
    var isFinished: Bool { get }

    /// What is being waited for.
    var stage: EightBallError.Stage { get }

    mutating func begin() -> [Exchange.Action]

    /// A request succeeded; what was read comes along, nothing for one that is no read, and how long
    /// the peer took to confirm it, where it does.
    mutating func requestSucceeded(_ value: [UInt8], after time: Duration?) -> [Exchange.Action]

    mutating func requestFailed(_ error: any Error) -> [Exchange.Action]

    /// The ball notified a value; it may be meant for another asker.
    mutating func notified(_ value: [UInt8], of attribute: AttributeID) -> [Exchange.Action]

    /// The link, or the ball's service, is gone, and every subscription with it.
    mutating func lost(_ error: EightBallError) -> [Exchange.Action]

    /// The question is cancelled.
    mutating func abandon(_ error: EightBallError) -> [Exchange.Action]

    mutating func timedOut(_ timer: Exchange.Timer) -> [Exchange.Action]
}
