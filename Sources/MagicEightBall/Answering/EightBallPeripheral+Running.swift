internal import BLESession

// Running: for programs that start with the machine, and last as long as their task.
extension EightBallPeripheral {
    /// Waits until the radio is on, then shows the ball.
    ///
    /// - Parameter limit: how long to wait for the radio.
    /// - Throws: ``EightBallError``, `CancellationError`; see ``EightBallSDK/start(waitingUpTo:)``.
    public func start(waitingUpTo limit: Duration) async throws {
        try await radioSession.waitUntilOn(for: limit)
        try await start()
    }

    /// Shows the ball until the task is cancelled; then stops.
    ///
    /// - Throws: ``EightBallError``; see ``EightBallSDK/run()``.
    public func run() async throws {
        try await radioSession.run {
            try await start()
        } ending: {
            session.number == nil ? nil : runs.add()
        } stop: {
            await stop()
        }
    }
}
