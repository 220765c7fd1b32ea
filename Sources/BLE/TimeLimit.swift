/// Waits for something, but not for ever.
///
/// When the time is over, or the task is cancelled, the work is cancelled too. What it brings all
/// the same is returned, so that nothing it made is lost unseen.
///
/// - Parameters:
///   - limit: how long.
///   - clock: measures the time.
///   - work: what is waited for; it ends soon when it is cancelled.
/// - Returns: what the work returned; `nil` when the time was over.
/// - Throws: what the work throws within the limit; `CancellationError`.
package func withTimeLimit<Success: Sendable>(
    _ limit: Duration,
    on clock: any Clock<Duration>,
    _ work: @escaping @Sendable () async throws -> Success
) async throws -> Success? {
    try await withThrowingTaskGroup(of: Success?.self) { group in
        group.addTask { try await work() }
        group.addTask {
            // Ends early only when cancelled; then the work tells what came of it.
            try? await clock.sleep(for: limit)
            return nil
        }
        let first = try await group.next() ?? nil
        group.cancelAll()
        if let first { return first }
        do {
            return try await group.next() ?? nil
        } catch {
            try Task.checkCancellation()
            return nil
        }
    }
}
