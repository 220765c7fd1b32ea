internal import Synchronization

/// A peer's call of an exported method, to be replied to once.
///
/// It may be replied to later and from anywhere. One that is dropped without a reply gets an error,
/// so that no caller waits in vain.
package final class MethodCall: Sendable {
    /// What was called, by whom, with what.
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
            // What cannot travel is our mistake; the caller still hears something.
            guard let refusal = try? message.reply(ErrorReply(.failed, error.message)) else {
                return
            }
            reply = refusal
        }
        send(reply)
    }

    /// The same call, whose reply is handed over instead of being sent; takes this one's place.
    ///
    /// - Parameter receive: called once, with what ``Connection/reply(_:)`` may send later.
    /// - Returns: the call to be handled.
    package func redirectingReply(
        to receive: @escaping @Sendable (Message) -> Void
    ) -> MethodCall {
        isAnswered.store(true, ordering: .relaxed)
        return MethodCall(message, send: receive)
    }
}
