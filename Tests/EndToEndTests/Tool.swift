import BLE
import BLELocking
import Dispatch
import Foundation
import Testing

/// One of the package's executables, as it was built, in a process of its own.
final class Tool: Sendable {
    /// What became of a process.
    struct Outcome: Sendable, CustomStringConvertible {
        /// The exit status; 128 + the number of the signal that ended it.
        let status: Int32
        let output: String
        let errors: String

        var description: String { "exit \(status)\n\(output)\(errors)" }

        /// Ends the test, which tells all that was printed, where it has not ended as it should.
        func requireSuccess(sourceLocation: SourceLocation = #_sourceLocation) throws {
            try #require(status == 0, "\(self)", sourceLocation: sourceLocation)
        }

        /// What was printed, line by line.
        var lines: [String] { output.split(separator: "\n").map(String.init) }

        /// The JSON objects that were printed.
        var events: [[String: any Sendable]] { lines.compactMap(Tool.event) }

        /// The names of those.
        var eventNames: [String] { events.compactMap { $0["event"] as? String } }

        /// The JSON objects on standard error, where standard output is for something else.
        var errorEvents: [[String: any Sendable]] {
            errors.split(separator: "\n").map(String.init).compactMap(Tool.event)
        }
    }

    /// The folder of the executables: that of the tests.
    static let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()

    let pid: pid_t
    /// Where it keeps what belongs to its user, unless that was said: a user of its own.
    private let home: String?
    private let output: Recorder
    private let errors: Recorder
    private let status: AsyncStream<Int32>
    private let hasEnded = Locked(false)

    /// Starts an executable of this package.
    convenience init(
        _ name: String,
        _ arguments: [String],
        bus: String?,
        dataHome: String? = nil,
        hear: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        try self.init(
            Self.folder.appendingPathComponent(name),
            arguments,
            bus: bus,
            dataHome: dataHome,
            hear: hear
        )
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: its file.
    ///   - arguments: without its name.
    ///   - bus: the system's bus, for it.
    ///   - dataHome: `$XDG_DATA_HOME`, for it; `nil` for one that goes with it.
    ///   - hear: gets each line of its output.
    /// - Throws: `POSIXError`.
    init(
        _ program: URL,
        _ arguments: [String],
        bus: String?,
        dataHome: String? = nil,
        hear: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        home = dataHome == nil ? "\(NSTemporaryDirectory())/user-\(UUID().uuidString)" : nil
        var environment = ProcessInfo.processInfo.environment
        environment["DBUS_SYSTEM_BUS_ADDRESS"] = bus
        environment["XDG_DATA_HOME"] = dataHome ?? home
        environment["PATH"] = Self.folder.path + ":" + (environment["PATH"] ?? "")
        let output = try Self.openPipe()
        let errors = try Self.openPipe()
        defer { for end in [output.writing, errors.writing] { close(end) } }
        pid = try Self.spawn(
            program.path,
            arguments,
            environment,
            output: output.writing,
            errors: errors.writing
        )
        self.output = Recorder(output.reading, hear)
        self.errors = Recorder(errors.reading)
        let (status, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.status = status
        DispatchQueue(label: "waits for \(program.lastPathComponent)").async { [pid] in
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
            continuation.yield(status)
            continuation.finish()
        }
    }

    /// Two sockets, as a pipe could not be made so that no other child inherits it meanwhile, and
    /// keeps its reader waiting for the end.
    private static func openPipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .EMFILE)
        }
        return (ends[0], ends[1])
    }

    private static func spawn(
        _ program: String,
        _ arguments: [String],
        _ environment: [String: String],
        output: Int32,
        errors: Int32
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        // Nor anybody else's: see PrivateBus.
        for descriptor in 3..<256 { posix_spawn_file_actions_addclose(&actions, Int32(descriptor)) }
        // A thread of the pool has signals blocked that a tool must get.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var pid: pid_t = 0
        let status = posix_spawn(&pid, program, &actions, &attributes, &words, &variables)
        guard status == 0 else { throw POSIXError(.init(rawValue: status) ?? .EINVAL) }
        return pid
    }

    deinit {
        if isRunning { kill(pid, SIGKILL) }
        // Most programs keep nothing.
        if let home { _ = Result { try FileManager.default.removeItem(atPath: home) } }
    }

    var isRunning: Bool { !hasEnded.withLock { $0 } }

    /// Sends a signal.
    func send(_ signal: Int32) {
        kill(pid, signal)
    }

    /// The first line of the output that has a text in it.
    ///
    /// - Throws: ``Missing`` when the process ends without, or in half the time that a check may take.
    @discardableResult
    func line(with text: String) async throws -> String {
        try await line(withOneOf: [text], in: output)
    }

    /// As ``line(with:)``, of several texts.
    @discardableResult
    func line(withOneOf texts: [String]) async throws -> String {
        try await line(withOneOf: texts, in: output)
    }

    /// As ``line(with:)``, on standard error.
    @discardableResult
    func errorLine(with text: String) async throws -> String {
        try await line(withOneOf: [text], in: errors)
    }

    private func line(withOneOf texts: [String], in recorder: Recorder) async throws -> String {
        // What was printed tells more than a test whose time is over.
        let line = try await withTimeLimit(.seconds(300), on: ContinuousClock()) { [self] in
            await killingIfCancelled { await recorder.line(withOneOf: texts) }
        }
        if let line = line ?? nil { return line }
        throw Missing(text: texts.joined(separator: "' or '"), outcome: await end())
    }

    /// Waits; ends the process when the test's time is over, and so what is waited for.
    private func killingIfCancelled<Output>(_ wait: () async -> Output) async -> Output {
        await withTaskCancellationHandler(operation: wait) { if isRunning { kill(pid, SIGKILL) } }
    }

    struct Missing: Error, CustomStringConvertible {
        let text: String
        let outcome: Outcome
        var description: String { "ended without '\(text)': \(outcome)" }
    }

    /// Interrupts it, as a person does, and waits for the end.
    @discardableResult
    func interrupt() async -> Outcome {
        send(SIGINT)
        return await end()
    }

    /// Waits for the end; once.
    @discardableResult
    func end() async -> Outcome {
        let ending = await killingIfCancelled {
            var ending: Int32 = 0
            for await status in status { ending = status }
            return ending
        }
        hasEnded.withLock { $0 = true }
        let signal = ending & 0x7F
        return Outcome(
            status: signal == 0 ? ending >> 8 & 0xFF : 128 + signal,
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
    private struct State {
        var text = ""
        var isClosed = false
        var waiting: [@Sendable (String, Bool) -> Bool] = []
    }

    private let state = Locked(State())

    init(_ end: Int32, _ hear: @escaping @Sendable (String) -> Void = { _ in }) {
        DispatchQueue(label: "reads a process's output").async { [self] in
            var line = ""
            var bytes = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(end, &bytes, bytes.count)
                if count < 0 && errno == EINTR { continue }
                let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
                take(text, isLast: count <= 0)
                for character in text {
                    if character != "\n" {
                        line.append(character)
                    } else {
                        hear(line)
                        line = ""
                    }
                }
                guard count > 0 else { break }
            }
            close(end)
        }
    }

    private func take(_ text: String, isLast: Bool) {
        state.withLock { state in
            state.text += text
            state.isClosed = state.isClosed || isLast
            state.waiting.removeAll { $0(state.text, state.isClosed) }
        }
    }

    /// The first whole line with one of some texts in it; `nil` when the pipe was closed without.
    func line(withOneOf texts: [String]) async -> String? {
        await first { all, _ in
            all.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .first { line in texts.contains { line.contains($0) } }.map(String.init)
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
