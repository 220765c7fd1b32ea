/// Why a socket, or something that it was asked to do, failed.
public struct SocketError: Error, Sendable {
    /// What went wrong.
    public struct Code: Hashable, Sendable {
        private enum Name: String {
            case tooLong, notConnected, lostConnection, timedOut, cancelled, full
            case malformedData, invalidHandshake, refused, bluetoothOff, bluetoothAbsent
            case alreadyOpen, notFound, notPermitted, busy, unsupported
        }

        /// A message has more bytes than the protocol can carry.
        public static let tooLong = Code(name: .tooLong)
        /// Bluetooth is off, or went off.
        public static let bluetoothOff = Code(name: .bluetoothOff)
        /// The radio was closed for good, as when the system's bus has ended.
        public static let bluetoothAbsent = Code(name: .bluetoothAbsent)
        /// The socket is open, or being opened.
        public static let alreadyOpen = Code(name: .alreadyOpen)
        /// The other end has no such service.
        public static let notFound = Code(name: .notFound)
        /// The system does not allow it.
        public static let notPermitted = Code(name: .notPermitted)
        /// Nobody is connected.
        public static let notConnected = Code(name: .notConnected)
        /// The connection ended before it was done.
        public static let lostConnection = Code(name: .lostConnection)
        /// A time limit was reached.
        public static let timedOut = Code(name: .timedOut)
        /// The caller cancelled it.
        public static let cancelled = Code(name: .cancelled)
        /// As many messages as may wait do so.
        public static let full = Code(name: .full)
        /// The other end sent what the protocol does not know.
        public static let malformedData = Code(name: .malformedData)
        /// The other end did not say who it is, or not as it has to.
        public static let invalidHandshake = Code(name: .invalidHandshake)
        /// The other end has as many connections as it takes.
        public static let busy = Code(name: .busy)
        /// Not over a connection of this kind.
        public static let unsupported = Code(name: .unsupported)
        /// The other end could not use what it was sent.
        public static let refused = Code(name: .refused)

        private let name: Name

        private init(name: Name) {
            self.name = name
        }
    }

    /// What went wrong.
    public let code: Code
    /// What was tried, on what, and what came back; for people.
    public let message: String
    /// What it was caused by.
    public let underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: what went wrong.
    ///   - message: what was tried, on what, and what came back.
    ///   - underlying: what it was caused by.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// Events were not told, as too many wait.
    init(missed count: Int) {
        self.init(.full, "\(count) events were not told: too many wait")
    }
}

extension SocketError.Code: CustomStringConvertible {
    /// The name of the code, such as `timedOut`.
    public var description: String { name.rawValue }
}

extension SocketError: CustomStringConvertible {
    /// The message, and the cause if there is one.
    public var description: String { underlying.map { "\(message): \($0)" } ?? message }
}
