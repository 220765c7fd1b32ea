internal import Dispatch
internal import Glibc

/// The end of a command by a signal.
public struct Interruption: Error, Sendable {
    /// The signal.
    public let signal: Int32

    /// Creates the end by a signal that was received elsewhere.
    ///
    /// - Parameter signal: the signal.
    public init(signal: Int32) {
        self.signal = signal
    }

    /// What a shell makes of it: 130 for SIGINT, 143 for SIGTERM.
    public var exitStatus: Int32 { 128 + signal }
}

/// Does something until it is done, or until SIGINT or SIGTERM.
///
/// A signal cancels the work, and this returns when the work has cleared up; a second signal ends
/// the process at once.
///
/// - Parameter work: what to do.
/// - Returns: what it returned.
/// - Throws: what it throws; ``Interruption`` after a signal.
public func untilInterrupted<Success: Sendable>(
    _ work: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    let (signals, received) = AsyncStream.makeStream(of: Int32.self)
    let sources = [SIGINT, SIGTERM].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler {
            received.yield(number)
            // From now on the system's own way.
            signal(number, SIG_DFL)
        }
        source.activate()
        return source
    }
    defer { for source in sources { source.cancel() } }
    return try await withThrowingTaskGroup(of: Success?.self) { group in
        group.addTask { try await work() }
        group.addTask {
            for await signal in signals { throw Interruption(signal: signal) }
            return nil
        }
        defer { group.cancelAll() }
        while let result = try await group.next() {
            if let result { return result }
        }
        throw CancellationError()
    }
}
