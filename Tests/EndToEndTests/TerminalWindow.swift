import BLELocking
import Foundation
import Testing

/// A terminal of tmux's with one of the package's executables, for a test that looks and types.
final class TerminalWindow: Sendable {
    private static let tmux = URL(fileURLWithPath: "/usr/bin/tmux")

    private let socket: String
    private let bus: String?
    /// The process of the terminal.
    private let server = Locked<pid_t?>(nil)

    /// Starts a command in a terminal of a size.
    init(_ command: [String], columns: Int, rows: Int, bus: String?) async throws {
        socket = "\(NSTemporaryDirectory())/tmux-\(UUID().uuidString.prefix(8))"
        self.bus = bus
        let words = command.map { "'\($0)'" }.joined(separator: " ")
        let outcome = try await tmux(
            ["-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"]
                // What it says last is still to be seen.
                + ["\(words); echo \"ended with $?\"; read -r"]
        )
        try #require(outcome.status == 0, "\(outcome)")
        let pid = try await tmux(["display-message", "-p", "#{pid}"]).output
        server.withLock { $0 = pid_t(pid.trimming) }
    }

    /// A test that fails leaves nothing behind.
    deinit {
        if let server = server.withLock(\.self) { Glibc.kill(server, SIGTERM) }
    }

    /// Ends the terminal, and what runs in it.
    func close() async throws {
        server.withLock { $0 = nil }
        _ = try await tmux(["kill-server"])
    }

    private func tmux(_ arguments: [String]) async throws -> Tool.Outcome {
        try await Tool(Self.tmux, ["-u", "-S", socket] + arguments, bus: bus).end()
    }

    /// Types a text, and a key after it.
    func type(_ text: String, _ key: String? = "Enter") async throws {
        if !text.isEmpty { _ = try await tmux(["send-keys", "-l", text]) }
        if let key { _ = try await tmux(["send-keys", key]) }
    }

    /// Pastes a text.
    func paste(_ text: String) async throws {
        _ = try await tmux(["set-buffer", text])
        _ = try await tmux(["paste-buffer", "-p"])
    }

    /// Gives it another size.
    func resize(columns: Int, rows: Int) async throws {
        _ = try await tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// What is to be seen.
    var picture: String {
        get async throws { try await tmux(["capture-pane", "-p"]).output }
    }

    /// Waits until a text is to be seen.
    ///
    /// - Returns: what is to be seen with it.
    @discardableResult
    func wait(
        for text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let limit = Duration.seconds(30 * WorldKind.current.slowness)
        let end = ContinuousClock.now + limit
        var last = ""
        while ContinuousClock.now < end {
            last = try await picture
            if last.contains(text) { return last }
            // Nobody tells when a terminal shows something else.
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("'\(text)' was not to be seen:\n\(last)", sourceLocation: sourceLocation)
        throw CancellationError()
    }

    /// Kills what runs in it, as by a loss of power.
    func kill() async throws {
        let shell = try await tmux(["display-message", "-p", "#{pane_pid}"]).output
        let children = try String(
            contentsOfFile: "/proc/\(shell.trimming)/task/\(shell.trimming)/children",
            encoding: .utf8
        )
        let child = try #require(pid_t(children.trimming))
        Glibc.kill(child, SIGKILL)
    }
}

extension String {
    fileprivate var trimming: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
