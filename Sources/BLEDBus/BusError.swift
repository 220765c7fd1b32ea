/// A failure of the bus or of the connection to it, or a message that is not valid.
///
/// An error that a peer replies with is an ``ErrorReply``.
package struct BusError: Error, Sendable {
    /// The kinds of failures.
    package enum Code: String, Sendable {
        /// No connection was established.
        case connectionRefused
        /// Another connection owns the name.
        case nameTaken
        /// The connection was lost, or closed by this program.
        case disconnected
        /// No reply came within the call's time limit.
        case timedOut
        /// A message is not valid: a name, a path, a string, a type or a size.
        case invalidMessage
        /// A received message does not have the expected body.
        case unexpectedBody
        /// libdbus ran out of memory.
        case outOfMemory
        /// Too much is waiting to be sent, as the bus does not read or does not reply.
        case overflow
    }

    /// The kind of failure.
    package let code: Code

    /// What was tried, on what, and what came back, in one line.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension BusError: CustomStringConvertible {
    package var description: String { message }
}
