internal import Dispatch
internal import Glibc

/// The end of a command by a signal.
public struct Interruption: Error, Sendable {
    /// The signal.
    public let signal: Int32
    /// The limit within which the command had not cleared up; `nil` if it had.
    public internal(set) var overdueLimit: Duration?

    /// Creates the end by a signal that was received elsewhere.
    ///
    /// - Parameter signal: the signal.
    public init(signal: Int32) {
        self.signal = signal
    }

    /// What a shell makes of it: 130 for SIGINT, 143 for SIGTERM.
    public var exitStatus: Int32 { 128 + signal }
}

/// How long a command may take at most to clear up after a signal.
public let clearingLimit = Duration.seconds(10)

/// Does something until it is done, or until SIGINT or SIGTERM.
///
/// A signal cancels the work, and this returns when the work has cleared up, and after a limit at the latest; a second
/// signal, of either kind, ends the process at once.
///
/// - Parameters:
///   - limit: how long clearing up may take. What is not cleared up by then ends with the process.
///   - work: what to do.
/// - Returns: what it returned.
/// - Throws: what it throws; ``Interruption`` after a signal.
public func untilInterrupted<Success: Sendable>(
    clearingWithin limit: Duration = clearingLimit,
    _ work: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    let (events, happened) = AsyncStream.makeStream(of: CommandEvent.self)
    let numbers = [SIGINT, SIGTERM]
    let sources = numbers.map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler {
            happened.yield(.signal(number))
            // From now on the system's own way, whichever comes.
            for number in numbers { signal(number, SIG_DFL) }
        }
        source.activate()
        return source
    }
    defer { for source in sources { source.cancel() } }
    let working = Task {
        defer { happened.yield(.ended) }
        return try await work()
    }
    var interruption: Interruption?
    for await event in events {
        switch event {
        case .signal(let signal):
            guard interruption == nil else { break }
            interruption = Interruption(signal: signal)
            working.cancel()
            // It may never clear up.
            Task {
                try await Task.sleep(for: limit)
                happened.yield(.overdue)
            }
        case .ended:
            if let interruption { throw interruption }
            return try await working.value
        case .overdue:
            interruption?.overdueLimit = limit
            if let interruption { throw interruption }
        }
    }
    // This task was cancelled.
    working.cancel()
    return try await working.value
}

/// What happens to a command that can be interrupted.
private enum CommandEvent {
    case signal(Int32)
    case ended
    /// It has not cleared up within its limit.
    case overdue
}
