extension Clock where Duration == Swift.Duration {
    /// Returns a function that says how long ago this was called.
    func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { [self] in start.duration(to: now) }
    }
}
