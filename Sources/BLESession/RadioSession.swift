package import BLE

/// What goes on over a radio until its task is cancelled: it is watched, and what is lost with it is
/// made again.
package struct RadioSession: Sendable {
    private let states: @Sendable () async -> AsyncStream<RadioState>
    private let pause: Duration
    private let clock: any Clock<Duration>

    /// A session over a radio.
    ///
    /// - Parameters:
    ///   - states: the radio's states, the present one first.
    ///   - pause: how long to wait before something is tried again; 10 ms at least.
    ///   - clock: measures the time.
    package init(
        states: @escaping @Sendable () async -> AsyncStream<RadioState>,
        retryingAfter pause: Duration,
        on clock: any Clock<Duration>
    ) {
        self.states = states
        self.pause = max(pause, .milliseconds(10))
        self.clock = clock
    }

    /// Reports each change of the radio's state.
    ///
    /// - Parameters:
    ///   - state: the state that was reported last.
    ///   - report: called for each state that differs from the one before.
    /// - Returns: whether the radio was closed for good; `false` when the task was cancelled.
    package func watch(
        since state: RadioState,
        _ report: (RadioState) -> Void
    ) async -> Bool {
        var reported = state
        for await state in await states() where state != reported {
            guard !Task.isCancelled else { return false }
            reported = state
            report(state)
        }
        return !Task.isCancelled
    }

    /// Waits until the radio is on, or until the limit is over.
    ///
    /// - Parameter limit: how long to wait; `nil` for as long as the task runs.
    /// - Returns: `false` when the radio was closed for good, and is not waited for any longer.
    /// - Throws: `CancellationError`.
    @discardableResult
    package func waitUntilOn(for limit: Duration?) async throws -> Bool {
        let wait: @Sendable () async throws -> Bool = { [states] in
            var isOn = false
            for await state in await states() where state == .on {
                isOn = true
                break
            }
            try Task.checkCancellation()
            return isOn
        }
        guard let limit else { return try await wait() }
        return try await withTimeLimit(limit, on: clock, wait) ?? true
    }

    /// Waits until the radio is on, then starts, unless it is stopped meanwhile.
    ///
    /// - Parameters:
    ///   - limit: how long to wait for the radio; `nil` for as long as the task runs.
    ///   - change: changes the calls that have begun; who stops it ends them.
    ///   - start: begins to use the radio.
    /// - Returns: whether it was not stopped meanwhile.
    /// - Throws: what starting throws; `CancellationError`.
    package func begin(
        waitingUpTo limit: Duration?,
        _ change: ((inout Beginnings) -> Void) -> Void,
        start: () async throws -> Void
    ) async throws -> Bool {
        // Where the radio is closed for good, starting says so.
        let wait = Task { [self] in _ = try await waitUntilOn(for: limit) }
        var number = 0
        change { number = $0.add(wait) }
        defer { change { $0.remove(number) } }
        do {
            try await withTaskCancellationHandler {
                try await wait.value
            } onCancel: {
                wait.cancel()
            }
            guard mayGoOn(number, change) else { return false }
            try await start()
            return true
        } catch {
            guard !mayGoOn(number, change) else { throw error }
            try Task.checkCancellation()
            return false
        }
    }

    private func mayGoOn(_ number: Int, _ change: ((inout Beginnings) -> Void) -> Void) -> Bool {
        var mayGoOn = false
        change { mayGoOn = $0.contains(number) }
        return mayGoOn
    }

    /// Starts, and stops when the task is cancelled.
    ///
    /// - Parameters:
    ///   - start: waits until the radio is on, and begins to use it; returns also when somebody stops it meanwhile.
    ///   - ending: ends when somebody else stops it; `nil` when that has happened already.
    ///   - stop: ends what was begun.
    /// - Throws: what starting throws, or the end.
    package func run(
        start: () async throws -> Void,
        ending: () -> AsyncThrowingStream<Never, any Error>?,
        stop: () async -> Void
    ) async throws {
        do {
            try await start()
            if let ending = ending() { for try await _ in ending {} }
            if Task.isCancelled { await stop() }
        } catch is CancellationError {
            await stop()
        }
    }

    /// Tries until it succeeds, each time after a pause and when the radio is on.
    ///
    /// - Parameters:
    ///   - lastCode: the code of the failure that was reported last; `nil` when none was.
    ///   - attempt: what is tried.
    ///   - failure: what an error means.
    ///   - report: called for a failure whose code differs from that of the one before.
    /// - Returns: what the attempt made.
    /// - Throws: `CancellationError`.
    package func restore<Success, Failure: CodedError>(
        lastReported lastCode: Failure.Code?,
        _ attempt: () async throws -> Success,
        failure: (any Error) -> Failure,
        report: (Failure) -> Void
    ) async throws(CancellationError) -> Success {
        var lastCode = lastCode
        while true {
            do {
                try await clock.sleep(for: pause)
                try await waitUntilOn(for: nil)
                return try await attempt()
            } catch {
                if Task.isCancelled || error is CancellationError { throw CancellationError() }
                let failure = failure(error)
                if failure.code != lastCode { report(failure) }
                lastCode = failure.code
            }
        }
    }
}

/// An error with a code that says whether another one is of the same kind.
package protocol CodedError: Error {
    associatedtype Code: Equatable

    var code: Code { get }
}
