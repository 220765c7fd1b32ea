import Dispatch
import Glibc
import RadioCLI

/// A shell command that reads one text, prints a line, and ends.
///
/// It runs in a process group of its own, and is killed with all of it when its task is cancelled. What
/// it leaves in the background when it ends is left alone.
struct Command: Sendable {
    /// Why a command gave nothing.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// What is kept of each output; more is read, and dropped.
    private static let maximumByteCount = 4096

    private let text: String
    private let pid: pid_t
    private let output: Int32
    private let errors: Int32
    private let cancellation: Bell
    private let exit: Bell

    /// Starts a command.
    ///
    /// One at a time: what another one inherits meanwhile stays open.
    ///
    /// - Parameters:
    ///   - text: the command, for `/bin/sh`.
    ///   - input: what it reads; short enough for a pipe.
    ///   - variable: an environment variable that it gets, beside those that are there.
    /// - Throws: `SystemFailure` when the system can't start it.
    init(_ text: String, input: String, setting variable: (name: String, value: String)) throws {
        self.text = text
        cancellation = try Bell()
        exit = try Bell()
        var opened: [Int32] = []
        defer { for end in opened { close(end) } }
        let input = try Self.pipe(holding: input)
        opened.append(input)
        let output = try makePipe()
        opened += [output.reading, output.writing]
        let errors = try makePipe()
        opened += [errors.reading, errors.writing]
        var command = ShellCommand(text)
        command.files = (input, output.writing, errors.writing)
        command.variable = variable
        pid = try command.start()
        self.output = output.reading
        self.errors = errors.reading
        opened.removeAll { $0 == output.reading || $0 == errors.reading }
    }

    /// Waits for the end; once.
    ///
    /// - Returns: the first line of its output.
    /// - Throws: ``Failure`` when it ends with a status other than 0 or prints nothing;
    ///   `CancellationError` after it was killed.
    func firstLine() async throws -> String {
        let ended = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "waits for a command").async {
                    continuation.resume(returning: end())
                }
            }
        } onCancel: {
            cancellation.ring()
        }
        guard let ended else { throw CancellationError() }
        guard ended.status == 0 else {
            let signal = ended.status & 0x7F
            let how = signal == 0 ? "status \(ended.status >> 8)" : "signal \(signal)"
            let words = Self.firstLine(ended.errors).map { ": \($0)" } ?? ""
            throw Failure(description: "'\(text)' ended with \(how)\(words)")
        }
        guard let line = Self.firstLine(ended.output), !line.isEmpty else {
            throw Failure(description: "'\(text)' printed nothing")
        }
        return line
    }

    /// Reads its outputs until it has ended; blocks.
    ///
    /// Their end is not waited for: what the command left in the background may have them open for long.
    private func end() -> (status: Int32, output: [UInt8], errors: [UInt8])? {
        defer { for end in [output, errors] { close(end) } }
        watchForExit()
        var open = [output, errors, cancellation.ends.reading, exit.ends.reading].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        var texts: [[UInt8]] = [[], []]
        var isKilled = false
        while open[3].revents == 0 {
            if poll(&open, nfds_t(open.count), -1) < 0 {
                if errno == EINTR { continue }
                isKilled = true
                kill(-pid, SIGKILL)
                break
            }
            for index in texts.indices where open[index].revents != 0 {
                if !Self.read(open[index].fd, into: &texts[index]) { open[index].fd = -1 }
            }
            if open[2].revents != 0 {
                isKilled = true
                open[2].fd = -1
                // Not yet waited for, so the group is still the command's.
                kill(-pid, SIGKILL)
            }
        }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        guard !isKilled else { return nil }
        for index in texts.indices where open[index].fd >= 0 {
            Self.readRest(of: open[index].fd, into: &texts[index])
        }
        return (status, texts[0], texts[1])
    }

    /// Rings when the command has ended, and leaves it to be waited for.
    private func watchForExit() {
        DispatchQueue(label: "waits for a command's exit").async { [pid, exit] in
            var information = siginfo_t()
            while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
            exit.ring()
        }
    }

    /// Reads what is there, as far as it is kept.
    private static func readRest(of end: Int32, into text: inout [UInt8]) {
        var ready = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
        while text.count < maximumByteCount, poll(&ready, 1, 0) > 0, read(end, into: &text) {}
    }

    /// - Returns: whether there may be more.
    private static func read(_ end: Int32, into text: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: maximumByteCount)
        let count = Glibc.read(end, &buffer, buffer.count)
        guard count > 0 else { return count < 0 && errno == EINTR }
        text += buffer.prefix(count).prefix(maximumByteCount - text.count)
        return true
    }

    private static func firstLine(_ text: [UInt8]) -> String? {
        String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline).first.map(
            String.init
        )
    }

    /// The reading end of a pipe with a text in it.
    private static func pipe(holding text: String) throws -> Int32 {
        let ends = try makePipe()
        defer { close(ends.writing) }
        let bytes = Array(text.utf8)
        // Its reading end is open, and it is empty: this neither waits nor fails.
        _ = write(ends.writing, bytes, bytes.count)
        return ends.reading
    }
}
