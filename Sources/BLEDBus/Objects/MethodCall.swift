internal import Synchronization

/// A peer's call of an exported method.
///
/// It can be replied to later and from any thread. When it is dropped without a reply, the caller gets
/// an error.
package final class MethodCall: Sendable {
    /// The method call.
    package let message: Message

    private let send: @Sendable (Message) -> Void
    private let isAnswered = Atomic(false)

    init(_ message: Message, send: @escaping @Sendable (Message) -> Void) {
        self.message = message
        self.send = send
    }

    deinit {
        fail(ErrorReply(.noReply, "\(message.member ?? "") was dropped without a reply"))
    }

    /// The caller's unique name.
    package var sender: String { message.sender ?? "" }

    /// Replies with values; a second reply is ignored.
    package func reply(_ body: [Value] = []) {
        answer { (call) throws(BusError) in try call.reply(body) }
    }

    /// Replies with an error; a second reply is ignored.
    package func fail(_ error: ErrorReply) {
        answer { (call) throws(BusError) in try call.reply(error) }
    }

    private func answer(_ makeReply: (Message) throws(BusError) -> Message) {
        guard !isAnswered.exchange(true, ordering: .relaxed), message.expectsReply else { return }
        let reply: Message
        do {
            reply = try makeReply(message)
        } catch {
            // The values are not valid; the caller gets an error.
            guard let refusal = try? message.reply(ErrorReply(.failed, error.message)) else {
                return
            }
            reply = refusal
        }
        send(reply)
    }

    /// Returns the same call with its reply redirected; use it instead of this one.
    ///
    /// - Parameter receive: called once with the reply, which ``Connection/reply(_:)`` can send later.
    /// - Returns: the call to handle.
    package func redirectingReply(
        to receive: @escaping @Sendable (Message) -> Void
    ) -> MethodCall {
        isAnswered.store(true, ordering: .relaxed)
        return MethodCall(message, send: receive)
    }
}
