/// The bus itself failed, or was asked for something that cannot be said on a bus.
///
/// What a peer replies with is an ``ErrorReply``.
package struct BusError: Error, Sendable {
    /// What kind of failure it is.
    package enum Code: String, Sendable {
        /// No connection came about.
        case connectionRefused
        /// The connection ended: the bus went away, or this side closed it.
        case disconnected
        /// No reply came within the call's time limit.
        case timedOut
        /// A message could not be made: a name, a path, a string or a size is not allowed.
        case invalidMessage
        /// A message's body is not what was expected of it.
        case unexpectedBody
        /// libdbus had no memory.
        case outOfMemory
        /// Too much waits to be sent already: the bus does not read, or does not reply.
        case overflow
    }

    /// What kind of failure it is.
    package let code: Code

    /// What was tried, on what, and what came back.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension BusError: CustomStringConvertible {
    package var description: String { message }
}
