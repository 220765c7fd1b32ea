package import BLE

/// The executor of a schedule's radio: what it runs is one piece of the schedule, in the order in which it came.
///
/// Unchecked, as ``Scheduler``.
package final class ScheduledExecutor: RadioExecutor, @unchecked Sendable {
    private enum Work {
        case job(UnownedJob)
        case call(@Sendable () -> Void)
    }

    private unowned let scheduler: Scheduler
    private var queue: [Work] = []
    private var isRunning = false

    package init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    package func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

    package func call(_ work: @escaping @Sendable () -> Void) { add(.call(work)) }

    /// Schedules have a clock of their own.
    package func call(
        at time: ContinuousClock.Instant,
        _ work: @escaping @Sendable () -> Void
    ) -> ScheduledCall {
        preconditionFailure("the time of a schedule was to be measured on its executor")
    }

    package func isIsolatingCurrentContext() -> Bool? { isRunning }

    package func checkIsolated() {
        precondition(isRunning, "not on the executor of the schedule's radio")
    }

    private func add(_ work: Work) {
        queue.append(work)
        scheduler.later { self.runNext() }
    }

    private func runNext() {
        isRunning = true
        defer { isRunning = false }
        switch queue.removeFirst() {
        case .job(let job):
            job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(),
                taskExecutor: asUnownedTaskExecutor()
            )
        case .call(let work): work()
        }
    }
}
