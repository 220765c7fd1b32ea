/// Something that an actor does when a time is over, unless it is cancelled before.
package struct Deadline: Sendable {
    private enum Wait {
        /// On the actor's own executor.
        case call(ScheduledCall)
        /// On another clock, such as a test's.
        case task(Task<Void, Never>)
    }

    private let wait: Wait

    /// Begins to measure the time.
    ///
    /// - Parameters:
    ///   - limit: how long to wait.
    ///   - clock: measures the time. When it is an executor's, that must be the actor's, too.
    ///   - owner: the actor; held weakly, and when it is gone nothing is done.
    ///   - work: what it does then.
    package init<Owner: Actor>(
        after limit: Duration,
        on clock: any Clock<Duration>,
        of owner: Owner,
        _ work: @escaping @Sendable (isolated Owner) -> Void
    ) {
        guard let clock = clock as? ExecutorClock else {
            wait = .task(
                Task { [weak owner] in
                    // Ends early only when cancelled.
                    guard (try? await clock.sleep(for: limit)) != nil, let owner else { return }
                    await Self.reach(owner, work)
                }
            )
            return
        }
        let call = clock.executor.call(at: clock.now + limit) { [weak owner] in
            owner?.assumeIsolated(work)
        }
        wait = .call(call)
    }

    /// The task that waits, for tests; `nil` when the clock is an executor's.
    package var task: Task<Void, Never>? {
        if case .task(let task) = wait { task } else { nil }
    }

    /// Has nothing done; called by the actor, that is certain.
    package func cancel() {
        switch wait {
        case .call(let call): call.cancel()
        case .task(let task): task.cancel()
        }
    }

    private static func reach<Owner: Actor>(
        _ owner: isolated Owner,
        _ work: (isolated Owner) -> Void
    ) {
        guard !Task.isCancelled else { return }
        work(owner)
    }
}
