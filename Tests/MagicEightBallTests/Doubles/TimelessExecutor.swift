import BLE

/// The executor of a scripted radio, on which no time passes: a limit is reached on a clock that a test advances, or
/// not at all, however busy the machine is.
final class TimelessExecutor: RadioExecutor {
    private let queue = RadioQueue("scripted")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.call {
            job.runSynchronously(
                isolatedTo: self.asUnownedSerialExecutor(),
                taskExecutor: self.asUnownedTaskExecutor()
            )
        }
    }

    func call(_ work: @escaping @Sendable () -> Void) { queue.call(work) }

    func call(
        at time: ContinuousClock.Instant,
        _ work: @escaping @Sendable () -> Void
    ) -> ScheduledCall {
        ScheduledCall {}
    }

    func isIsolatingCurrentContext() -> Bool? { queue.isIsolatingCurrentContext() }

    func checkIsolated() { queue.checkIsolated() }
}
