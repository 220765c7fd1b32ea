internal import BLESession

// Running: for programs that start with the machine, and last as long as their task.
extension Messenger {
    /// Starts as soon as the radio is on, however long that takes, and goes on until the task is cancelled; then stops.
    ///
    /// Returns also when ``stop()`` is called.
    ///
    /// - Throws: ``ChatError`` as ``start(waitingUpTo:)`` does, and with ``ChatError/Code/bluetoothAbsent`` when its radio was closed
    ///   for good.
    public func run() async throws {
        do {
            try await start(waitingUpTo: nil)
        } catch is CancellationError {
            // It is stopped already.
            return
        } catch let error as ChatError where error.code == .notReady {
            // By somebody else.
            return
        }
        let serving = serving
        await withTaskCancellationHandler {
            await serving?.value
        } onCancel: {
            Task { await self.stop() }
        }
        // Not before all has been taken down.
        let ending = ending
        if Task.isCancelled || ending != nil { await stop() }
        if let ending { throw ending }
    }
    /// Waits until it is stopped, or cannot go on; returns at once when it is not started.
    ///
    /// - Throws: ``ChatError`` with ``ChatError/Code/bluetoothAbsent`` when its radio was closed for good, as when the system's
    ///   bus has ended, until it is stopped; `CancellationError`.
    public func waitUntilEnded() async throws {
        if let ending { throw ending }
        guard serving != nil else { return }
        let end = ends.add()
        for try await _ in end {}
        try Task.checkCancellation()
    }
}
