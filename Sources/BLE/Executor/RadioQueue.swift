@preconcurrency internal import Dispatch

/// The executor of a radio that has no thread of its own: a serial queue of Dispatch.
///
/// ```swift
/// final class SerialPortRadio: CentralRadio {
///     let executor: any RadioExecutor = RadioQueue("serial port")
/// }
/// ```
public final class RadioQueue: RadioExecutor {
    private static let key = DispatchSpecificKey<ObjectIdentifier>()

    private let queue: DispatchQueue

    /// Creates a queue.
    ///
    /// - Parameter name: what debuggers show.
    public init(_ name: String = "radio") {
        // Of the threads that Swift's own tasks have: many such queues do not make many threads.
        queue = DispatchQueue(label: name, target: .global())
        queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
    }

    /// Runs a job after those before it.
    ///
    /// - Parameter job: the job.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            job.runSynchronously(
                isolatedTo: self.asUnownedSerialExecutor(),
                taskExecutor: self.asUnownedTaskExecutor()
            )
        }
    }

    /// Whether the queue is running what asks.
    ///
    /// - Returns: `true` or `false`, never `nil`.
    public func isIsolatingCurrentContext() -> Bool? {
        DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self)
    }

    /// Stops the program unless the queue is running what asks.
    public func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }

    /// Calls a function on the queue.
    ///
    /// - Parameter work: called once.
    public func call(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Calls a function on the queue at a time.
    ///
    /// - Parameters:
    ///   - time: when.
    ///   - work: called once, unless cancelled before.
    /// - Returns: with which to cancel.
    public func call(
        at time: ContinuousClock.Instant,
        _ work: @escaping @Sendable () -> Void
    ) -> ScheduledCall {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let (seconds, attoseconds) = max(.zero, ContinuousClock.now.duration(to: time)).components
        // As many seconds as Dispatch can count.
        let nanoseconds = min(seconds, 4_000_000_000) * 1_000_000_000 + attoseconds / 1_000_000_000
        timer.schedule(deadline: .now() + .nanoseconds(Int(nanoseconds)))
        timer.setEventHandler {
            // It is called once.
            timer.cancel()
            work()
        }
        // The handler keeps timer and work until then.
        timer.setCancelHandler { timer.setEventHandler(handler: nil) }
        timer.resume()
        return ScheduledCall { timer.cancel() }
    }
}
