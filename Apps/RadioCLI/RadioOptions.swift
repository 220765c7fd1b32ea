public import ArgumentParser
internal import BLE
public import BlueZ
internal import Glibc
public import Logging

/// The options of each command that uses a radio.
public struct RadioOptions: ParsableArguments, Sendable {
    /// Which radio.
    @Option(help: "The adapter to use, such as hci0. (default: the first that is powered)")
    public var adapter: String?

    /// Whether results are for programs.
    @Flag(help: "Print one JSON object a line, for every event.")
    public var json = false

    /// Whether what the radio does is logged.
    @Flag(help: "Log on standard error what the radio does.")
    public var verbose = false

    /// The options as they are without a command line.
    public init() {}

    /// Logs on standard error, nothing unless asked to.
    public var logger: Logger {
        var logger = Logger(label: "bluetooth") { label in
            StreamLogHandler(label: label, stream: LogOutput(file: STDERR_FILENO))
        }
        logger.logLevel = verbose ? .debug : .critical
        return logger
    }

    /// Opens the radio, uses it and closes it.
    ///
    /// - Parameters:
    ///   - wait: how long to try again while there is no bluetoothd or no such adapter.
    ///   - waitsForDisconnection: whether connections are to be over, for which bluetoothd takes two seconds; not for who
    ///     calls peers that stay as they are, unless the adapter advertises.
    ///   - console: where it is said that this waits.
    ///   - use: what to do with the radio.
    /// - Throws: `RadioError` when the radio cannot be opened, another error when that takes too long; what the use of
    ///   it throws.
    public func withRadio(
        waitingUpTo wait: Duration = .zero,
        waitsForDisconnection: Bool = true,
        _ console: Console,
        _ use: @Sendable (Adapter) async throws -> Void
    ) async throws {
        let radio = try await open(waitingUpTo: wait, console, logger)
        let result: Result<Void, any Error>
        do {
            result = .success(try await use(radio))
        } catch {
            result = .failure(error)
        }
        await close(within: Self.limit) {
            await radio.close(waitsForDisconnection: waitsForDisconnection)
        }
        try result.get()
    }

    /// How long the radio may take to open or to close.
    private static let limit = Duration.seconds(10)

    private func open(
        waitingUpTo wait: Duration,
        _ console: Console,
        _ logger: Logger
    ) async throws -> Adapter {
        let deadline = ContinuousClock.now + wait
        var reason: String?
        while true {
            do {
                return try await open(logger)
            } catch let error as RadioError
                where error.code.mayPass && ContinuousClock.now < deadline
            {
                if reason != error.message { console.progress("waiting for the radio: \(error)") }
                reason = error.message
                // Nothing signals a bus that comes up; so it is asked for, once a second.
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func open(_ logger: Logger) async throws -> Adapter {
        let radio = try await withTimeLimit(Self.limit, on: ContinuousClock()) {
            try await Adapter.open(adapter, logger: logger)
        }
        guard let radio else {
            throw RadioOpeningTimeout(limit: Self.limit)
        }
        return radio
    }
}

extension RadioError.Code {
    /// Whether the radio may still come, as while a machine starts.
    fileprivate var mayPass: Bool { self == .noService || self == .absent }
}

/// The radio took too long to open.
private struct RadioOpeningTimeout: CommandFailure, CustomStringConvertible {
    let limit: Duration

    var exitStatus: ExitStatus { .temporary }
    var codeName: String { "timedOut" }
    var stageName: String? { "radio" }
    var description: String { "opening the radio took longer than \(limit.inUnits)" }
}
