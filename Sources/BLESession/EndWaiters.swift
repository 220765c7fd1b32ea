internal import Synchronization

/// Calls that wait until something ends; a value in an actor's state.
package struct EndWaiters: Sendable {
    private final class Waiter: Sendable {
        let continuation: AsyncThrowingStream<Never, any Error>.Continuation
        /// Whether its task has been cancelled.
        let isOver = Atomic(false)

        init(_ continuation: AsyncThrowingStream<Never, any Error>.Continuation) {
            self.continuation = continuation
        }
    }

    private var waiting: [Waiter] = []

    package init() {}

    /// Whether none has been added since the end.
    package var isEmpty: Bool { waiting.isEmpty }

    /// How many wait; one that is cancelled counts until the next is added.
    var count: Int { waiting.count }

    /// Adds a call.
    ///
    /// - Returns: a stream to iterate over: it ends when what is waited for does, or when the task is
    ///   cancelled.
    package mutating func add() -> AsyncThrowingStream<Never, any Error> {
        waiting.removeAll { $0.isOver.load(ordering: .acquiring) }
        let (ending, continuation) = AsyncThrowingStream.makeStream(of: Never.self)
        let waiter = Waiter(continuation)
        continuation.onTermination = { [weak waiter] _ in
            waiter?.isOver.store(true, ordering: .releasing)
        }
        waiting.append(waiter)
        return ending
    }

    /// Lets all calls go on.
    ///
    /// - Parameter failure: what they fail with; `nil` for success.
    package mutating func end(throwing failure: (any Error)? = nil) {
        for waiter in waiting { waiter.continuation.finish(throwing: failure) }
        waiting = []
    }
}
