/// A failure of a radio or of a connection.
///
/// When a peer refuses a request, that is an ``ATTError``. A cancelled task gets a
/// `CancellationError`.
public struct RadioError: Error, Sendable {
    /// The kinds of failures.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case off, absent, noService, notPermitted, peerGone, unknownPeer, connectionFailed
            case servicesInvalidated, missingAttribute, busy, unsupported, timedOut, valueTooLong
            case invalidAdvertisement, limitReached, overflow, withdrawn, failed
        }

        private let value: Value

        /// The radio is off.
        public static let off = Code(value: .off)
        /// There is no such radio, or it was removed.
        public static let absent = Code(value: .absent)
        /// The system's Bluetooth service is not running, or cannot be reached.
        public static let noService = Code(value: .noService)
        /// The system does not allow this program to use Bluetooth.
        public static let notPermitted = Code(value: .notPermitted)
        /// The connection to the peer ended, or there was none.
        public static let peerGone = Code(value: .peerGone)
        /// The radio does not know the peer, or has dropped it; scan for it first.
        public static let unknownPeer = Code(value: .unknownPeer)
        /// No connection was established.
        public static let connectionFailed = Code(value: .connectionFailed)
        /// The peer removed or changed the service that was in use.
        public static let servicesInvalidated = Code(value: .servicesInvalidated)
        /// The peer has no such service or characteristic.
        public static let missingAttribute = Code(value: .missingAttribute)
        /// The same operation is in progress, or another program uses what is needed.
        public static let busy = Code(value: .busy)
        /// The radio or the attribute cannot do this; for radios see ``RadioCapabilities``.
        public static let unsupported = Code(value: .unsupported)
        /// No reply came in time.
        public static let timedOut = Code(value: .timedOut)
        /// The value is too long to be sent.
        public static let valueTooLong = Code(value: .valueTooLong)
        /// The advertisement is too long, or the system does not accept it.
        public static let invalidAdvertisement = Code(value: .invalidAdvertisement)
        /// The radio supports no more advertisements or connections.
        public static let limitReached = Code(value: .limitReached)
        /// Too many events waited for their consumer: a link or a stream ended because its peer sent faster
        /// than it was consumed, or a publication ended because its responder was too slow.
        public static let overflow = Code(value: .overflow)
        /// The publication has ended.
        public static let withdrawn = Code(value: .withdrawn)
        /// Any other failure; see the message.
        public static let failed = Code(value: .failed)

        /// The name of the code.
        public var description: String { value.rawValue }
    }

    /// The kind of failure.
    public let code: Code

    /// What was tried, on what, and what came back, in one line for people.
    public let message: String

    /// The error that caused this one.
    public let underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - message: what was tried, on what, and what came back, in one line for people.
    ///   - underlying: the error that caused this one.
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
