internal import Glibc

/// A terminal could not be used.
public struct TerminalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public struct Code: Hashable, Sendable {
        private enum Value: Hashable, Sendable {
            case notATerminal, noCursor, inUse, closed, systemFailure
        }

        private let value: Value

        /// Standard input or standard output is something else: a file, a pipe.
        public static let notATerminal = Code(value: .notATerminal)
        /// The terminal says that its cursor can't be moved.
        public static let noCursor = Code(value: .noCursor)
        /// This program has a session already.
        public static let inUse = Code(value: .inUse)
        /// The session has ended.
        public static let closed = Code(value: .closed)
        /// The system refused something.
        public static let systemFailure = Code(value: .systemFailure)
    }

    /// What went wrong.
    public let code: Code

    /// What went wrong, and what to do about it, in words for who uses the program.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// The system refused something, and `errno` says why.
    static func system(_ what: String) -> TerminalError {
        TerminalError(.systemFailure, "\(what) failed: \(String(cString: strerror(errno)))")
    }
}
