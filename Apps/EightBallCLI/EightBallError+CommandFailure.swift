public import MagicEightBall
public import RadioCLI

extension EightBallError: CommandFailure {
    /// How a question that was not answered, or a ball that could not serve, ends a command.
    public var exitStatus: ExitStatus {
        if let reason = code.rejectionReason { return reason.exitStatus }
        if code.timedOutStage != nil { return .temporary }
        return switch code {
        case .noBallFound: .notFound
        case .radioOff, .radioAbsent, .noService, .stopped: .unavailable
        case .radioBusy, .deviceOffline: .temporary
        case .protocolViolation: .protocol
        case .notPermitted: .notPermitted
        case .invalidName: .usage
        default: .software
        }
    }

    /// The name of the code, such as `noBallFound`.
    public var codeName: String { "\(code)" }

    /// Why the question was refused.
    public var reasonName: String? { code.rejectionReason?.name }

    /// What took too long.
    public var stageName: String? { (code.timedOutStage?.rawValue).map { "\($0)" } }

    /// What somebody who asks, or serves, can do.
    public var remedy: String? {
        switch exitStatus {
        case .notFound: "start a ball, bring it nearer, or allow a weaker one with --rssi"
        case .protocol: "the other end is not a ball, or a faulty one"
        default: exitStatus.remedy
        }
    }
}

extension RejectionReason {
    fileprivate var exitStatus: ExitStatus {
        switch kind {
        case .questionPlease, .tooLong, .malformed: .data
        case .deviceBusy, .tooManyQuestions, .deviceOffline, .peripheralError, .refused: .temporary
        case .unknown: .protocol
        }
    }
}
