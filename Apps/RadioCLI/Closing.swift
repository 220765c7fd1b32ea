internal import BLE

/// Closes something, also when the task has been cancelled.
///
/// Returns when the work has returned, and after the limit at the latest, as where bluetoothd does not reply: what is not
/// closed by then ends with the process.
///
/// - Parameters:
///   - limit: how long to wait.
///   - work: what closes it, in a task of its own.
public func close(
    within limit: Duration = .seconds(5),
    _ work: @escaping @Sendable () async -> Void
) async {
    let closed = Promise<Void>()
    Task {
        await work()
        closed.fulfil()
    }
    await Task {
        _ = try? await withTimeLimit(limit, on: ContinuousClock()) { try await closed.wait() }
    }.value
}
