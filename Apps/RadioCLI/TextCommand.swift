internal import Dispatch
internal import Glibc

/// A shell command that reads one text, prints one, and ends.
///
/// It runs in a process group of its own, and is killed with all of it when its task is cancelled. What
/// it leaves in the background when it ends is left alone.
package struct TextCommand: Sendable {
    /// Why a command gave nothing.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
        /// How it ended; `nil` when it printed nothing, took too long, or was killed.
        package let status: Int32?
        /// The first line that it printed on standard error.
        package let words: String?

        /// - Parameters:
        ///   - description: for people.
        ///   - status: how the command ended.
        ///   - words: the first line that it printed on standard error.
        package init(_ description: String, status: Int32? = nil, words: String? = nil) {
            self.description = description
            self.status = status
            self.words = words
        }
    }

    private let text: String
    private let maximumByteCount: Int
    private let pid: pid_t
    private let outputEnd: Int32
    private let errorsEnd: Int32
    private let cancellation: Bell
    private let exit: Bell

    /// Starts a command.
    ///
    /// - Parameters:
    ///   - text: the command, for `/bin/sh`.
    ///   - input: what it reads; at most 64 KiB, as many as a pipe has room for.
    ///   - variable: an environment variable that it gets, beside those that are there.
    ///   - maximumByteCount: what is kept of each output; more is read, and dropped.
    /// - Throws: `SystemFailure` when the system can't start it.
    package init(
        _ text: String,
        input: String,
        setting variable: (name: String, value: String),
        keeping maximumByteCount: Int = 4096
    ) throws {
        self.text = text
        self.maximumByteCount = maximumByteCount
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
        outputEnd = output.reading
        errorsEnd = errors.reading
        opened.removeAll { $0 == output.reading || $0 == errors.reading }
    }

    /// Waits for the end; once, in place of ``output()``.
    ///
    /// - Returns: the first line of its output.
    /// - Throws: ``Failure`` when it ends with a status other than 0 or prints nothing;
    ///   `CancellationError` after it was killed.
    package func firstLine() async throws -> String {
        guard let line = Self.firstLine(try await bytes()), !line.isEmpty else {
            throw Failure("'\(text)' printed nothing")
        }
        return line
    }

    /// Waits for the end; once.
    ///
    /// - Returns: its output, without the ends of lines behind it; empty when it prints nothing.
    /// - Throws: ``Failure`` when it ends with a status other than 0; `CancellationError` after it was killed.
    package func output() async throws -> String {
        var output = String(decoding: try await bytes(), as: UTF8.self)
        while output.last?.isNewline == true { output.removeLast() }
        return output
    }

    private func bytes() async throws -> [UInt8] {
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
            let words = Self.firstLine(ended.errors)
            throw Failure(
                "'\(text)' ended with \(how)\(words.map { ": \($0)" } ?? "")",
                status: signal == 0 ? ended.status >> 8 : nil,
                words: words
            )
        }
        return ended.output
    }

    /// Reads its outputs until it has ended; blocks.
    ///
    /// Their end is not waited for: what the command left in the background may have them open for long.
    private func end() -> (status: Int32, output: [UInt8], errors: [UInt8])? {
        defer { for end in [outputEnd, errorsEnd] { close(end) } }
        exit.ring(whenEnds: pid)
        var open = [outputEnd, errorsEnd, cancellation.ends.reading, exit.ends.reading].map {
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
                if !read(open[index].fd, into: &texts[index]) { open[index].fd = -1 }
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
            readRest(of: open[index].fd, into: &texts[index])
        }
        return (status, texts[0], texts[1])
    }

    /// Reads what is there, as far as it is kept.
    private func readRest(of end: Int32, into text: inout [UInt8]) {
        var ready = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
        while text.count < maximumByteCount, poll(&ready, 1, 0) > 0, read(end, into: &text) {}
    }

    /// - Returns: whether there may be more.
    private func read(_ end: Int32, into text: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
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
