/// A call of SQLite failed.
package struct DatabaseError: Error, Hashable, Sendable {
    /// What it came to.
    package let code: ResultCode
    /// What SQLite says about it.
    package let message: String
    /// What the system said, an `errno`; 0 for nothing.
    package let systemError: Int32
    /// What was tried: SQL, or the name of what was called.
    package let attempt: String

    package init(_ code: ResultCode, _ message: String, systemError: Int32 = 0, attempt: String) {
        self.code = code
        self.message = message
        self.systemError = systemError
        self.attempt = attempt
    }
}

extension DatabaseError: CustomStringConvertible {
    package var description: String {
        "\(attempt) failed: SQLite \(code.rawValue), \(message)"
            + (systemError == 0 ? "" : " (errno \(systemError))")
    }
}
