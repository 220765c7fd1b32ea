/// Why something that a relay was asked to do failed.
public struct RelayError: Error, Sendable {
    /// What went wrong.
    public struct Code: Hashable, Sendable {
        private enum Name: String {
            case invalidName, invalidAddress, invalidKey, invalidLink, keyChanged, unknownContact
            case unknownMessage
            case empty, tooLong, notDecrypted, full, bluetoothOff, bluetoothAbsent, notReady
            case notANode, connectionFailed, timedOut, busy, missed, failed
        }

        /// A user's name is too short or too long, or has characters that a name has not.
        public static let invalidName = Code(name: .invalidName)
        /// An address is empty or too long, or has control characters.
        public static let invalidAddress = Code(name: .invalidAddress)
        /// What should be a key is none.
        public static let invalidKey = Code(name: .invalidKey)
        /// A link has not the form `dim://name#digits//key`.
        public static let invalidLink = Code(name: .invalidLink)
        /// A contact's link has another key than the one that is known.
        public static let keyChanged = Code(name: .keyChanged)
        /// Somebody is no contact, so that nothing can be encrypted for them.
        public static let unknownContact = Code(name: .unknownContact)
        /// There is no message of that number.
        public static let unknownMessage = Code(name: .unknownMessage)
        /// A text is empty.
        public static let empty = Code(name: .empty)
        /// A text does not fit one notification; the message says how many characters do.
        public static let tooLong = Code(name: .tooLong)
        /// A text was not encrypted with the key that both ends share, or was changed on its way.
        public static let notDecrypted = Code(name: .notDecrypted)
        /// There is no room for one more; the message says how many there are.
        public static let full = Code(name: .full)
        /// Bluetooth is off.
        public static let bluetoothOff = Code(name: .bluetoothOff)
        /// There is no such radio, or its system's service does not run.
        public static let bluetoothAbsent = Code(name: .bluetoothAbsent)
        /// The node has not been started, or waits for the radio.
        public static let notReady = Code(name: .notReady)
        /// A device advertises the service and does not have it, or a part of it is missing.
        public static let notANode = Code(name: .notANode)
        /// There is no connection to a neighbour.
        public static let connectionFailed = Code(name: .connectionFailed)
        /// A time limit was reached.
        public static let timedOut = Code(name: .timedOut)
        /// The radio has no room for what was asked of it.
        public static let busy = Code(name: .busy)
        /// Events were dropped, since whoever takes them took too long; the message says how many.
        public static let missed = Code(name: .missed)
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

extension RelayError: CustomStringConvertible {
    /// The message, and what it was caused by.
    public var description: String { message + (underlying.map { ": \($0)" } ?? "") }
}

extension RelayError.Code: CustomStringConvertible {
    /// The name of the code, such as `tooLong`.
    public var description: String { name.rawValue }
}

extension RelayError {
    /// A text does not fit one notification.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - byteCount: how many bytes of it fit.
    ///   - receiver: to whom.
    package init(tooLong text: String, fitting byteCount: Int, to receiver: RelayAddress) {
        var (rest, count) = (byteCount, 0)
        for character in text {
            rest -= character.utf8.count
            guard rest >= 0 else { break }
            count += 1
        }
        self.init(
            .tooLong,
            "the text has \(text.count) characters (\(text.utf8.count) bytes of UTF-8); the first \(count) characters fit one "
                + "notification to \(receiver), which has room for \(byteCount) bytes"
        )
    }

    /// A contact's link has another key than before.
    ///
    /// - Parameters:
    ///   - known: what they have shown before.
    ///   - link: what they are said to show now.
    package init(keyChangedOf known: RelayLink, to link: RelayLink) {
        self.init(
            .keyChanged,
            "\(link.address) has another key now than the one that is known: \(link.key.fingerprint) "
                + "instead of \(known.key.fingerprint); ask them before it is replaced"
        )
    }
}
