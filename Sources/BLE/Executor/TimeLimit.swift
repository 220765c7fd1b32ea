/// Runs work within a time limit.
///
/// When the time is over, or the task is cancelled, the work is cancelled. If it succeeds all the same,
/// its result is returned, so that nothing that it made is lost. It stays on its caller's actor.
///
/// - Parameters:
///   - limit: how long the work may take.
///   - clock: the clock that measures the time.
///   - keepsErrors: whether an error counts that the work throws after the limit, but for `CancellationError`: for work that knows
///     it in time, and has something to end before it throws it.
///   - work: the work; it has to end soon once it is cancelled.
/// - Returns: what the work returned; `nil` when the time was over.
/// - Throws: what the work throws within the limit; `CancellationError`.
package nonisolated(nonsending) func withTimeLimit<Success: Sendable>(
    _ limit: Duration,
    on clock: any Clock<Duration>,
    keepsErrors: Bool = false,
    _ work: @escaping @Sendable () async throws -> Success
) async throws -> Success? {
    try await withThrowingTaskGroup(of: Success?.self) { group in
        group.addTask { try await work() }
        group.addTask {
            // Ends early only when cancelled; then the outcome is that of the work.
            try? await clock.sleep(for: limit)
            return nil
        }
        let first = try await group.next() ?? nil
        group.cancelAll()
        if let first { return first }
        do {
            return try await group.next() ?? nil
        } catch {
            if keepsErrors, !(error is CancellationError) { throw error }
            try Task.checkCancellation()
            return nil
        }
    }
}
