internal import BLE
internal import MagicEightBall

/// How a command ends, as sysexits.h has it.
public enum ExitStatus: Int32, Sendable {
    /// The command line is wrong.
    case usage = 64
    /// The question does not end in '?', or cannot be sent.
    case noQuestion = 65
    /// No ball was found.
    case noBall = 68
    /// There is no radio, no such radio, or no Bluetooth service.
    case unavailable = 69
    /// Our own fault.
    case software = 70
    /// Busy, gone or too slow: worth another try.
    case temporary = 75
    /// The other end broke the protocol.
    case `protocol` = 76
    /// The system does not allow it.
    case notPermitted = 77

    /// How a command ends that failed.
    ///
    /// - Parameter error: what it failed with.
    public init(_ error: any Error) {
        switch error {
        case let error as EightBallError: self.init(error.code)
        case let error as RadioError: self.init(error.code)
        default: self = .software
        }
    }

    private init(_ code: EightBallError.Code) {
        if let reason = code.rejectionReason {
            self.init(reason)
            return
        }
        if code.timedOutStage != nil {
            self = .temporary
            return
        }
        switch code {
        case .noBallFound: self = .noBall
        case .radioOff, .radioAbsent, .noService, .stopped: self = .unavailable
        case .radioBusy, .deviceOffline: self = .temporary
        case .protocolViolation: self = .protocol
        case .notPermitted: self = .notPermitted
        case .invalidName: self = .usage
        default: self = .software
        }
    }

    private init(_ reason: RejectionReason) {
        switch reason.kind {
        case .questionPlease, .tooLong, .malformed: self = .noQuestion
        case .deviceBusy, .tooManyQuestions, .deviceOffline, .peripheralError, .refused:
            self = .temporary
        case .unknown: self = .protocol
        }
    }

    private init(_ code: RadioError.Code) {
        switch code {
        case .off, .absent, .noService: self = .unavailable
        case .notPermitted: self = .notPermitted
        case .busy, .limitReached, .timedOut: self = .temporary
        default: self = .software
        }
    }

    /// What to do about it; `nil` where each error says so itself.
    public var remedy: String? {
        switch self {
        case .usage: "see --help"
        case .noBall: "start a ball, bring it nearer, or allow a weaker one with --rssi"
        case .software: "please report it, with the output of --verbose"
        case .temporary: "try again"
        case .protocol: "the other end is not a ball, or a faulty one"
        case .noQuestion, .unavailable, .notPermitted: nil
        }
    }
}
