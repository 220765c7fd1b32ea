public import ArgumentParser
public import BlueZ
internal import BLE
internal import Logging
internal import MagicEightBall

/// The options of each command that uses a radio.
public struct RadioOptions: ParsableArguments, Sendable {
    /// Which radio.
    @Option(help: "The adapter to use, such as hci0. (default: the first that is powered)")
    public var adapter: String?

    /// Whether results are for programs.
    @Flag(help: "Print one JSON object a line, for every event.")
    public var json = false

    /// Whether the radio says what it does.
    @Flag(help: "Say on standard error what the radio does.")
    public var verbose = false

    /// The options as they are without a command line.
    public init() {}

    /// Opens the radio, uses it and closes it.
    ///
    /// - Parameter use: what to do with the radio.
    /// - Throws: `RadioError` when the radio cannot be opened, `EightBallError` when that takes too
    ///   long; what the use of it throws.
    public func withRadio(_ use: @Sendable (Adapter) async throws -> Void) async throws {
        var logger = Logger(label: "bluetooth") { label in
            StreamLogHandler.standardError(label: label)
        }
        logger.logLevel = verbose ? .debug : .critical
        let limit = Timeouts().radio
        let radio = try await withTimeLimit(limit, on: ContinuousClock()) { [logger] in
            try await Adapter.open(adapter, logger: logger)
        }
        guard let radio else {
            let message = "opening the radio took longer than \(limit)"
            throw EightBallError(.timedOut(.radio), message)
        }
        let result: Result<Void, any Error>
        do {
            result = .success(try await use(radio))
        } catch {
            result = .failure(error)
        }
        // In a task of its own, as the command may have been cancelled; and not for ever. What was
        // not closed by then ends with the process.
        await Task {
            try? await withTimeLimit(limit, on: ContinuousClock()) { await radio.close() }
        }.value
        try result.get()
    }
}
