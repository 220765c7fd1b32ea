internal import BLESession

// Running: for programs that start with the machine, and last as long as their task.
extension EightBallPeripheral {
    /// Waits until the radio is on, then shows the ball.
    ///
    /// - Parameter limit: how long to wait for the radio.
    /// - Throws: ``EightBallError``, `CancellationError`; see ``EightBallSDK/start(waitingUpTo:)``.
    public func start(waitingUpTo limit: Duration) async throws {
        guard try await begin(waitingUpTo: limit) else {
            throw EightBallError(.stopped, "'\(localName)' was stopped before it was shown")
        }
    }

    /// Shows the ball until the task is cancelled; then stops.
    ///
    /// - Throws: ``EightBallError``; see ``EightBallSDK/run()``.
    public func run() async throws {
        try await radioSession.run {
            _ = try await begin(waitingUpTo: nil)
        } ending: {
            session.number == nil ? nil : runs.add()
        } stop: {
            await stop()
        }
    }

    /// Waits until the radio is on, then starts, unless it is stopped meanwhile.
    ///
    /// - Parameter limit: how long to wait for the radio; `nil` for as long as the task runs.
    /// - Returns: whether it was not stopped meanwhile.
    /// - Throws: as ``start()``.
    private func begin(waitingUpTo limit: Duration?) async throws -> Bool {
        try await radioSession.begin(waitingUpTo: limit) { change in
            change(&beginnings)
        } start: {
            try await start()
        }
    }
}
