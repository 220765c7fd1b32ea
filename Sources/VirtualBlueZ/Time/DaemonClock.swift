/// A clock of any kind that counts from the first daemon's start.
struct DaemonClock: Sendable {
    /// The time since the start.
    let elapsed: @Sendable () -> Duration

    /// Waits until a time since the start.
    let sleep: @Sendable (_ until: Duration) async throws -> Void

    init<Source: Clock<Duration>>(_ clock: Source) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
}
