internal import BLEStorage

/// Why a store could not be opened, or not do what it was asked to.
///
/// Nothing that was confirmed before is lost by it.
public struct ChatStoreError: Error, Sendable {
    /// What went wrong.
    public struct Code: Hashable, Sendable {
        private enum Name: String {
            case inUse, newer, damaged, notAStore, notPermitted, full, tooLong, limitReached
            case invalid, noSuchFriend, noSuchMessage, friendExists, notTheAuthor, deleted, blocked
            case closed, failed
        }

        /// Another program has the store open.
        public static let inUse = Code(name: .inUse)
        /// A newer version of the program wrote the store; it was left as it is.
        public static let newer = Code(name: .newer)
        /// The file is damaged; nothing is written to it any more.
        public static let damaged = Code(name: .damaged)
        /// The file is something else; it was left as it is.
        public static let notAStore = Code(name: .notAStore)
        /// The system does not let this user read or write the file.
        public static let notPermitted = Code(name: .notPermitted)
        /// The disk is full, or the store as large as it may become.
        public static let full = Code(name: .full)
        /// A text, a name or a file is longer than ``StoreLimits`` says.
        public static let tooLong = Code(name: .tooLong)
        /// There are as many as ``StoreLimits`` says.
        public static let limitReached = Code(name: .limitReached)
        /// A value cannot be what it is meant to be, as an empty address.
        public static let invalid = Code(name: .invalid)
        /// Nobody of that key or address is a friend.
        public static let noSuchFriend = Code(name: .noSuchFriend)
        /// The conversation has no such message.
        public static let noSuchMessage = Code(name: .noSuchMessage)
        /// Somebody of that key or address is a friend already.
        public static let friendExists = Code(name: .friendExists)
        /// Somebody else wrote the message.
        public static let notTheAuthor = Code(name: .notTheAuthor)
        /// The message's author deleted it.
        public static let deleted = Code(name: .deleted)
        /// The user has blocked this friend.
        public static let blocked = Code(name: .blocked)
        /// The store has been closed.
        public static let closed = Code(name: .closed)
        /// Anything else; the message says what.
        public static let failed = Code(name: .failed)

        private let name: Name

        private init(name: Name) {
            self.name = name
        }
    }

    /// What went wrong.
    public let code: Code
    /// What was tried, on what file, and what came back; for people.
    public let message: String
    /// What it was caused by.
    public let underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: what went wrong.
    ///   - message: what was tried, on what file, and what came back.
    ///   - underlying: what it was caused by.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension ChatStoreError.Code: CustomStringConvertible {
    /// The name of the code, such as `inUse`.
    public var description: String { name.rawValue }
}

extension ChatStoreError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

extension ChatStoreError {
    /// What is the matter with a store's file.
    init(_ error: StoreError) {
        let code: Code =
            switch error.code {
            case .inUse: .inUse
            case .newer: .newer
            case .damaged: .damaged
            case .notAStore: .notAStore
            case .notPermitted: .notPermitted
            case .full: .full
            case .invalid: .invalid
            case .closed: .closed
            default: .failed
            }
        self.init(code, error.message, underlying: error.underlying)
    }
}
