/// The one discovery that all scans share: whether it runs, and whether it should.
///
/// A value: events go in, and after each it says what to call.
struct Discovery {
    /// What to call on the adapter; its reply comes back with the same epoch.
    enum Action: Equatable {
        case start(epoch: Int)
        case stop(epoch: Int)
    }

    private enum Phase {
        case stopped, starting, running, stopping
        /// It could not be started, and will be again in a while.
        case waitingToRetry
    }

    private var phase = Phase.stopped
    private var epoch = 0
    private var pauses = 0
    /// How many connections were begun that kept it from running, or would have.
    private(set) var pauseCount = 0
    /// Whether it runs though bluetoothd has not replied that it began.
    ///
    /// bluetoothd replies to the last alone of several clients that begin at the same moment. From
    /// then on it refuses to stop or start the others' with `InProgress`, until they leave the bus or
    /// the power goes.
    private var isUnanswered = false

    /// Whether there are scans.
    var isWanted = false

    /// How often in a row it did not begin, or reported nothing.
    private(set) var failureCount = 0

    /// Whether the radio listens.
    var isRunning: Bool { phase == .running }

    /// Whether bluetoothd has yet to reply that it began.
    var isStarting: Bool { phase == .starting }

    /// Whether nothing is running that can be stopped, or about to.
    var isStopped: Bool {
        phase == .stopped || phase == .waitingToRetry || (phase == .running && isUnanswered)
    }

    /// Whether a connection that is being made keeps it from running.
    var isPaused: Bool { pauses > 0 }

    /// A connection is being made.
    mutating func pause() {
        pauses += 1
        pauseCount += 1
    }

    /// A connection was made, or not.
    mutating func resume() {
        pauses -= 1
    }

    /// bluetoothd discovers, and has not replied to ``Action/start(epoch:)``.
    mutating func didStartUnanswered() {
        guard phase == .starting else { return }
        phase = .running
        isUnanswered = true
    }

    /// The reply to ``Action/start(epoch:)`` came.
    ///
    /// - Returns: whether it still matters.
    mutating func didStart(_ succeeded: Bool, epoch: Int) -> Bool {
        guard epoch == self.epoch, phase == .starting || isUnanswered else { return false }
        phase = succeeded ? .running : .stopped
        isUnanswered = false
        return true
    }

    /// The reply to ``Action/stop(epoch:)`` came.
    ///
    /// - Returns: whether it still matters.
    mutating func didStop(epoch: Int) -> Bool {
        guard epoch == self.epoch, phase == .stopping else { return false }
        phase = .stopped
        return true
    }

    /// The adapter lost its power, or is gone: with it all discovery.
    ///
    /// It is not taken up again.
    mutating func end() {
        phase = .stopped
        isUnanswered = false
        isWanted = false
        failureCount = 0
        epoch += 1
    }

    /// What to call now.
    mutating func next() -> Action? {
        switch phase {
        case .stopped where isWanted && !isPaused:
            phase = .starting
            return .start(epoch: epoch)
        case .running where (!isWanted || isPaused) && !isUnanswered:
            phase = .stopping
            return .stop(epoch: epoch)
        case .stopped, .starting, .running, .stopping, .waitingToRetry:
            return nil
        }
    }

    // MARK: - Failures

    /// It did not start, and is not to be started before ``didWaitToRetry(epoch:)``.
    ///
    /// - Returns: what to say then.
    mutating func waitToRetry() -> Int {
        phase = .waitingToRetry
        failureCount += 1
        return epoch
    }

    /// It may be started again.
    ///
    /// - Returns: whether that still matters.
    mutating func didWaitToRetry(epoch: Int) -> Bool {
        guard epoch == self.epoch, phase == .waitingToRetry else { return false }
        phase = .stopped
        return true
    }

    /// It runs, and reports nothing: it is to be stopped and started.
    ///
    /// - Returns: what to call; `nil` when it does not run.
    mutating func restart() -> Action? {
        guard phase == .running else { return nil }
        phase = .stopping
        // The reply that may come yet is none to the next start.
        if isUnanswered { epoch += 1 }
        isUnanswered = false
        failureCount += 1
        return .stop(epoch: epoch)
    }

    /// The radio listens indeed.
    mutating func didSucceed() {
        failureCount = 0
    }
}
