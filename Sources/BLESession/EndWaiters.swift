/// Calls that wait until something ends; a value in an actor's state.
package struct EndWaiters: Sendable {
    private var waiting: [AsyncThrowingStream<Never, any Error>.Continuation] = []

    package init() {}

    /// Whether none has been added since the end.
    package var isEmpty: Bool { waiting.isEmpty }

    /// Adds a call.
    ///
    /// - Returns: a stream to iterate over: it ends when what is waited for does, or when the task is
    ///   cancelled.
    package mutating func add() -> AsyncThrowingStream<Never, any Error> {
        let (ending, continuation) = AsyncThrowingStream.makeStream(of: Never.self)
        waiting.append(continuation)
        return ending
    }

    /// Lets all calls go on.
    ///
    /// - Parameter failure: what they fail with; `nil` for success.
    package mutating func end(throwing failure: (any Error)? = nil) {
        for continuation in waiting { continuation.finish(throwing: failure) }
        waiting = []
    }
}
