extension Clock<Duration> {
    /// Returns a function that says how long ago it was made.
    package func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: now) }
    }
}
