import Foundation
import Synchronization

/// One of the package's executables, as it was built, in a process of its own.
final class Tool: Sendable {
    /// What became of a process.
    struct Outcome: Sendable, CustomStringConvertible {
        /// The exit status; 128 + the number of the signal that ended it.
        let status: Int32
        let output: String
        let errors: String

        var description: String { "exit \(status)\n\(output)\(errors)" }

        /// What was printed, line by line.
        var lines: [String] { output.split(separator: "\n").map(String.init) }

        /// The JSON objects that were printed.
        var events: [[String: any Sendable]] { lines.compactMap(Tool.event) }

        /// The names of those.
        var eventNames: [String] { events.compactMap { $0["event"] as? String } }
    }

    /// The folder of the executables: that of the tests.
    static let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()

    private let process: Process
    private let output: Recorder
    private let errors: Recorder
    private let ended: AsyncStream<Void>

    /// Starts an executable of this package.
    convenience init(_ name: String, _ arguments: [String], bus: String?) throws {
        try self.init(Self.folder.appendingPathComponent(name), arguments, bus: bus)
    }

    /// Starts a program.
    init(_ program: URL, _ arguments: [String], bus: String?) throws {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        var environment = ProcessInfo.processInfo.environment
        environment["DBUS_SYSTEM_BUS_ADDRESS"] = bus
        environment["PATH"] = Self.folder.path + ":" + (environment["PATH"] ?? "")
        process.environment = environment
        output = Recorder()
        errors = Recorder()
        process.standardOutput = output.pipe
        process.standardError = errors.pipe
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        self.ended = ended
        process.terminationHandler = { _ in continuation.finish() }
        self.process = process
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    var isRunning: Bool { process.isRunning }

    /// Sends a signal.
    func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// The first line of the output, or of the errors, that has a text in it.
    ///
    /// - Throws: ``Missing`` when the process ends without.
    @discardableResult
    func line(with text: String) async throws -> String {
        if let line = await output.line(with: text) { return line }
        throw Missing(text: text, outcome: await end())
    }

    /// As ``line(with:)``, on standard error.
    @discardableResult
    func errorLine(with text: String) async throws -> String {
        if let line = await errors.line(with: text) { return line }
        throw Missing(text: text, outcome: await end())
    }

    struct Missing: Error, CustomStringConvertible {
        let text: String
        let outcome: Outcome
        var description: String { "ended without '\(text)': \(outcome)" }
    }

    /// Waits for the end.
    @discardableResult
    func end() async -> Outcome {
        for await _ in ended {}
        process.waitUntilExit()
        let bySignal = process.terminationReason == .uncaughtSignal
        return Outcome(
            status: bySignal ? 128 + process.terminationStatus : process.terminationStatus,
            output: await output.all(),
            errors: await errors.all()
        )
    }

    /// The JSON object of a line.
    static func event(_ line: String) -> [String: any Sendable]? {
        try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: any Sendable]
    }
}

/// What a process writes into a pipe, kept, for whoever waits for a line.
private final class Recorder: Sendable {
    let pipe = Pipe()

    private struct State {
        var text = ""
        var isClosed = false
        var waiting: [@Sendable (String, Bool) -> Bool] = []
    }

    private let state = Mutex(State())

    init() {
        pipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self?.take(String(decoding: data, as: UTF8.self), isLast: data.isEmpty)
        }
    }

    private func take(_ text: String, isLast: Bool) {
        state.withLock { state in
            state.text += text
            state.isClosed = state.isClosed || isLast
            state.waiting.removeAll { $0(state.text, state.isClosed) }
        }
    }

    /// The first whole line with a text in it; `nil` when the pipe was closed without.
    func line(with text: String) async -> String? {
        await first { all, _ in
            all.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .first { $0.contains(text) }.map(String.init)
        }
    }

    /// Everything, once the pipe is closed.
    func all() async -> String {
        await first { all, isClosed in isClosed ? all : nil } ?? state.withLock { $0.text }
    }

    /// Asks again whenever something was written, until there is an answer or the pipe is closed.
    private func first(
        _ find: @escaping @Sendable (String, Bool) -> String?
    ) async -> String? {
        await withCheckedContinuation { continuation in
            let isDone: @Sendable (String, Bool) -> Bool = { text, isClosed in
                let found = find(text, isClosed)
                guard found != nil || isClosed else { return false }
                continuation.resume(returning: found)
                return true
            }
            state.withLock { state in
                if !isDone(state.text, state.isClosed) { state.waiting.append(isDone) }
            }
        }
    }
}
