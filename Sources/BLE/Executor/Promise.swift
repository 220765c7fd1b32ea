/// One result that one task waits for.
///
/// The wait ends with the result or with the task's cancellation, at once in both cases. Only the first
/// result counts.
package struct Promise<Output: Sendable>: Sendable {
    private let outputs: AsyncThrowingStream<Output, any Error>
    private let continuation: AsyncThrowingStream<Output, any Error>.Continuation

    package init() {
        (outputs, continuation) = AsyncThrowingStream.makeStream()
    }

    /// Ends the wait, from any thread.
    package func fulfil(_ result: Result<Output, any Error>) {
        continuation.yield(with: result)
        continuation.finish()
    }

    /// Ends the wait with an error, from any thread.
    package func fail(_ error: any Error) {
        continuation.finish(throwing: error)
    }

    /// Waits; once, and for one task.
    ///
    /// It stays on its caller's actor.
    ///
    /// - Throws: what the promise failed with; `CancellationError`.
    package nonisolated(nonsending) func wait() async throws -> Output {
        for try await output in outputs { return output }
        throw CancellationError()
    }
}

extension Promise where Output == Void {
    /// Ends the wait, from any thread.
    package func fulfil() {
        fulfil(.success(()))
    }
}
