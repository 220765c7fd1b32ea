internal import BLESession

/// Why a chat, or something that a messenger was asked to do, failed.
///
/// A cancelled task gets a `CancellationError`.
public struct ChatError: Error, Sendable {
    /// What went wrong.
    public struct Code: Hashable, Sendable {
        private enum Name: String {
            case bluetoothOff, bluetoothAbsent, notReady, invalidName, notFound, notAChatter
            case connectionFailed, timedOut, busy, empty, tooLong, invalidText, notPrivate
            case notConfirmed, notEncrypted, refused, ended, missed, full, notKept, failed
        }

        /// Bluetooth is off.
        public static let bluetoothOff = Code(name: .bluetoothOff)
        /// There is no such radio, or its system's service does not run.
        public static let bluetoothAbsent = Code(name: .bluetoothAbsent)
        /// The messenger has not been started, or waits for the radio.
        public static let notReady = Code(name: .notReady)
        /// A name is empty, too long, or has characters that cannot be shown.
        public static let invalidName = Code(name: .invalidName)
        /// Nobody of that name, or that address, was found.
        public static let notFound = Code(name: .notFound)
        /// The other end has no such service, or a part of it is missing.
        public static let notAChatter = Code(name: .notAChatter)
        /// There is no connection to the other end.
        public static let connectionFailed = Code(name: .connectionFailed)
        /// A time limit was reached.
        public static let timedOut = Code(name: .timedOut)
        /// Another chat is on, or being begun.
        public static let busy = Code(name: .busy)
        /// A text is empty.
        public static let empty = Code(name: .empty)
        /// A text has more bytes than the connection carries at once; the message says how many fit.
        public static let tooLong = Code(name: .tooLong)
        /// What came is no text.
        public static let invalidText = Code(name: .invalidText)
        /// Another device is connected that might be sent the text, too.
        public static let notPrivate = Code(name: .notPrivate)
        /// A text was sent, and the other end is not known to have it.
        ///
        /// A callee is told so for every text to an original while another device is connected, whatever for: no version of BlueZ
        /// says who has confirmed an indication.
        public static let notConfirmed = Code(name: .notConfirmed)
        /// The chat is one with an original, which takes texts alone.
        public static let notEncrypted = Code(name: .notEncrypted)
        /// The other end has refused the text.
        public static let refused = Code(name: .refused)
        /// The chat is over.
        public static let ended = Code(name: .ended)
        /// Events were dropped, since whoever takes them took too long; the message says how many.
        public static let missed = Code(name: .missed)
        /// Too many messages wait to be delivered; the message says how many.
        public static let full = Code(name: .full)
        /// The archive has failed: the error's cause says why.
        public static let notKept = Code(name: .notKept)
        /// Anything else; the message says what.
        public static let failed = Code(name: .failed)

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

    /// Whether a text was not sent, and may be later: in another chat, or when more is known of the other end.
    package private(set) var isPostponed = false

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
}

extension ChatError {
    /// The same, of a text that was not sent and may be later.
    var postponed: ChatError {
        var error = self
        error.isPostponed = true
        return error
    }
}

extension ChatError: CodedError {}

extension ChatError.Code: CustomStringConvertible {
    /// The name of the code, such as `timedOut`.
    public var description: String { name.rawValue }
}

extension ChatError: CustomStringConvertible {
    /// The message, and what the error was caused by.
    public var description: String {
        guard let underlying, "\(underlying)" != message else { return message }
        return "\(message): \(underlying)"
    }
}
