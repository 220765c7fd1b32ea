/// Why a radio could not do what it was asked.
///
/// A server's refusal of one request is not a radio's failure: that is an ``ATTError``. A cancelled
/// task gets a `CancellationError`.
public struct RadioError: Error, Sendable {
    /// What kind of failure it is.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case off, absent, noService, notPermitted, peerGone, unknownPeer, connectionFailed
            case servicesInvalidated, missingAttribute, busy, timedOut, valueTooLong
            case invalidAdvertisement, limitReached, overflow, withdrawn, failed
        }

        private let value: Value

        /// The radio has no power.
        public static let off = Code(value: .off)
        /// There is no such radio.
        public static let absent = Code(value: .absent)
        /// The system's Bluetooth service does not run, or there is no way to talk to it.
        public static let noService = Code(value: .noService)
        /// The system does not allow this program to use Bluetooth.
        public static let notPermitted = Code(value: .notPermitted)
        /// The link to the peer ended, or there was none.
        public static let peerGone = Code(value: .peerGone)
        /// The radio does not know the peer, or no longer: it has to be heard anew.
        public static let unknownPeer = Code(value: .unknownPeer)
        /// No link came about.
        public static let connectionFailed = Code(value: .connectionFailed)
        /// The peer took back the service that was in use.
        public static let servicesInvalidated = Code(value: .servicesInvalidated)
        /// The peer has no such service or characteristic.
        public static let missingAttribute = Code(value: .missingAttribute)
        /// Something of the same kind is under way, or another program holds what was wanted.
        public static let busy = Code(value: .busy)
        /// No reply came in time.
        public static let timedOut = Code(value: .timedOut)
        /// The value is longer than can be sent.
        public static let valueTooLong = Code(value: .valueTooLong)
        /// The advertisement does not fit, or was not understood.
        public static let invalidAdvertisement = Code(value: .invalidAdvertisement)
        /// The radio has no more room for what was asked: advertisements, links.
        public static let limitReached = Code(value: .limitReached)
        /// The peer sent faster than its values were taken, and the link was ended; or peers did more
        /// than the responder took, and the publication was.
        public static let overflow = Code(value: .overflow)
        /// The publication was withdrawn.
        public static let withdrawn = Code(value: .withdrawn)
        /// Anything else; the message tells.
        public static let failed = Code(value: .failed)

        /// The code's name.
        public var description: String { value.rawValue }
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

extension RadioError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
