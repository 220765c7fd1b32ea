internal import BLESession

/// What went wrong in asking or answering.
///
/// A cancelled task gets a `CancellationError`.
public struct EightBallError: Error, Sendable {
    /// What kind of failure it is.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: Hashable {
            case radioOff, radioAbsent, radioBusy, noService, notPermitted
            case noBallFound, deviceOffline, rejected(RejectionReason), timedOut(Stage)
            case protocolViolation, invalidName, stopped, cancelled, overflow, failed
        }

        private let value: Value

        /// The radio has no power.
        public static let radioOff = Code(value: .radioOff)
        /// There is no such radio.
        public static let radioAbsent = Code(value: .radioAbsent)
        /// The radio, or something in it, is in use by another program.
        public static let radioBusy = Code(value: .radioBusy)
        /// The system's Bluetooth service does not run.
        public static let noService = Code(value: .noService)
        /// The system does not allow this program to use Bluetooth.
        public static let notPermitted = Code(value: .notPermitted)
        /// No ball was discovered, or none that matches.
        public static let noBallFound = Code(value: .noBallFound)
        /// The other end is out of reach, or no longer a ball.
        public static let deviceOffline = Code(value: .deviceOffline)
        /// The other end broke the rules of the game: its answer is empty or not UTF-8.
        public static let protocolViolation = Code(value: .protocolViolation)
        /// A ball's name is empty, or too long to be advertised.
        public static let invalidName = Code(value: .invalidName)
        /// The SDK was stopped, or had not been started; or the radio was closed for good.
        public static let stopped = Code(value: .stopped)
        /// The question, or the connection, was cancelled.
        ///
        /// Observers are told this; the caller gets a `CancellationError`.
        public static let cancelled = Code(value: .cancelled)
        /// Events were dropped, since observers or the reader of a stream took too long; the message
        /// says how many.
        public static let overflow = Code(value: .overflow)
        /// Anything else; the message says what.
        public static let failed = Code(value: .failed)

        /// The question was refused: by the ball, or before it was sent.
        ///
        /// - Parameter reason: why.
        /// - Returns: the code.
        public static func rejected(_ reason: RejectionReason) -> Code {
            Code(value: .rejected(reason))
        }

        /// A time limit was reached.
        ///
        /// - Parameter stage: what was being waited for.
        /// - Returns: the code.
        public static func timedOut(_ stage: Stage) -> Code {
            Code(value: .timedOut(stage))
        }

        /// Why the question was refused; `nil` when it was not.
        public var rejectionReason: RejectionReason? {
            guard case .rejected(let reason) = value else { return nil }
            return reason
        }

        /// What was being waited for when a time limit was reached; `nil` when none was.
        public var timedOutStage: Stage? {
            guard case .timedOut(let stage) = value else { return nil }
            return stage
        }

        /// The code's name, without reason or stage.
        public var description: String {
            switch value {
            case .rejected: "rejected"
            case .timedOut: "timedOut"
            default: "\(value)"
            }
        }
    }

    /// What can use up the time.
    public enum Stage: String, Hashable, Sendable {
        /// The radio, to begin or to end something.
        case radio
        /// The questions to the same ball before this one.
        case queued
        /// The connection to the ball.
        case connecting
        /// The ball's services, once it is connected.
        case resolving
        /// The ball's confirmation of the subscription to its answers.
        case subscribing
        /// The ball's reply to the question: accepted or refused.
        case asking
        /// The answer.
        case answering
    }

    /// What kind of failure it is.
    public let code: Code

    /// What was tried, on what, and what came back: one line for people.
    public let message: String

    /// The error behind this one.
    public let underlying: (any Error)?

    /// A failure.
    ///
    /// - Parameters:
    ///   - code: what kind of failure it is.
    ///   - message: what was tried, on what, and what came back: one line for people.
    ///   - underlying: the error behind this one.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension EightBallError: CodedError {}

extension EightBallError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
