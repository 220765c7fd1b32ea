/// Where a radio's events arrive: one thread at a time, and one thing after the other.
///
/// A program's actors that use the radio may have the same executor, and its tasks may prefer it: what
/// a peer sends is then handled where it was received, without a change of threads. Nothing that
/// waits or takes long may run there, since the radio waits for it; above all no code of whoever uses
/// such a program.
///
/// ```swift
/// actor Thermometer {
///     let radio: any CentralRadio
///     nonisolated var unownedExecutor: UnownedSerialExecutor {
///         radio.executor.asUnownedSerialExecutor()
///     }
/// }
/// ```
///
/// A type that conforms has to say whether it is running what was enqueued with it, with
/// `isIsolatingCurrentContext()` and `checkIsolated()`, for `assumeIsolated` to work.
public protocol RadioExecutor: SerialExecutor, TaskExecutor {
    /// Calls a function on the executor, after what is enqueued already.
    ///
    /// - Parameter work: called once, on the executor; this may be called from any thread.
    func call(_ work: @escaping @Sendable () -> Void)

    /// Calls a function on the executor at a time, or a few milliseconds later.
    ///
    /// - Parameters:
    ///   - time: when; at once if it has passed.
    ///   - work: called once, unless cancelled before.
    /// - Returns: with which to cancel. Nothing of the call is kept after that.
    func call(
        at time: ContinuousClock.Instant,
        _ work: @escaping @Sendable () -> Void
    ) -> ScheduledCall
}

/// A call that an executor is to make at a time.
public struct ScheduledCall: Sendable {
    private let onCancel: @Sendable () -> Void

    /// Creates a call that can be cancelled.
    ///
    /// - Parameter onCancel: cancels it; called any number of times, from any thread.
    public init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = onCancel
    }

    /// Cancels the call; on the executor, it is certain not to be made any more.
    public func cancel() { onCancel() }
}

extension RadioExecutor {
    /// Starts a task of an actor that has this executor; all that it calls runs here, too, but for
    /// actors elsewhere.
    ///
    /// - Parameters:
    ///   - owner: the actor.
    ///   - work: what the task does.
    /// - Returns: the task.
    @discardableResult
    package func task<Owner: Actor>(
        of owner: Owner,
        _ work: @escaping @Sendable (isolated Owner) async -> Void
    ) -> Task<Void, Never> {
        Task(executorPreference: self) { await work(owner) }
    }
}
