/// The time as an executor measures it: who sleeps wakes there, and one that is cancelled leaves
/// nothing behind.
///
/// A sleep of `ContinuousClock` that is cancelled keeps 740 bytes until its time.
package struct ExecutorClock: Clock {
    package typealias Instant = ContinuousClock.Instant

    package let executor: any RadioExecutor

    package init(_ executor: any RadioExecutor) {
        self.executor = executor
    }

    package var now: Instant { .now }

    package var minimumResolution: Duration { .milliseconds(1) }

    package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let promise = Promise<Void>()
        let call = executor.call(at: deadline) { promise.fulfil() }
        defer { call.cancel() }
        try await promise.wait()
    }
}

extension RadioExecutor {
    /// The time as this executor measures it.
    package var clock: ExecutorClock { ExecutorClock(self) }
}
