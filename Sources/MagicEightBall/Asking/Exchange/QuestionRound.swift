internal import BLE

/// What is said over a link for one question, from the subscription on.
///
/// Source: Docs/Wire.md.
protocol QuestionRound: Sendable {
    /// Whether it is told already what came of the question.
    var isFinished: Bool { get }

    /// What is being waited for.
    var stage: EightBallError.Stage { get }

    mutating func begin() -> [Exchange.Action]

    /// A request succeeded; what was read comes along, nothing for one that is no read.
    mutating func requestSucceeded(_ value: [UInt8]) -> [Exchange.Action]

    mutating func requestFailed(_ error: any Error) -> [Exchange.Action]

    /// The ball told a value, to whomever.
    mutating func notified(_ value: [UInt8], of attribute: AttributeID) -> [Exchange.Action]

    /// The link, or the ball's service, is gone, and every subscription with it.
    mutating func lost(_ error: EightBallError) -> [Exchange.Action]

    /// The question is taken back.
    mutating func abandon(_ error: EightBallError) -> [Exchange.Action]

    mutating func timedOut(_ timer: Exchange.Timer) -> [Exchange.Action]
}
