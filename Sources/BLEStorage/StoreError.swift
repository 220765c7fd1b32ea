/// Why a store's file could not be opened, read or written.
///
/// Nothing that was confirmed before is lost by it.
public struct StoreError: Error, Sendable {
    /// What went wrong.
    public struct Code: Hashable, Sendable {
        private enum Name: String {
            case inUse, newer, damaged, notAStore, notPermitted, full, invalid, closed, failed
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
        /// A value cannot be what it is meant to be, as a path that is empty, too long, or leads through a file.
        public static let invalid = Code(name: .invalid)
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

extension StoreError.Code: CustomStringConvertible {
    /// The name of the code, such as `inUse`.
    public var description: String { name.rawValue }
}

extension StoreError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
