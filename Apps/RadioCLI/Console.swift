internal import BLE
internal import Glibc
internal import Synchronization

/// Where a command prints: results on standard output, what it is doing on standard error.
///
/// A result that cannot be written ends ``perform(clearingWithin:_:)`` with status 73; what cannot be written on standard
/// error is left out.
public struct Console: Sendable {
    /// Whether results are JSON lines; then nothing is said of what is being done.
    public let isJSON: Bool

    /// Whether what is being done is written over.
    public var isTransient: Bool { isTerminal }

    /// Whether standard error is for events, and so for nothing else.
    var hasEventsOnStandardError: Bool { isJSON && eventFile == STDERR_FILENO }

    private let command: String
    private let isTerminal: Bool
    private let eventFile: Int32
    private let progressLine = ProgressLine()
    /// Fails with why standard output cannot be written.
    let output = Promise<Void>()
    /// Of which connection it tells, where there are several.
    private var connection: Int?

    /// A console.
    ///
    /// - Parameters:
    ///   - command: the command's name, in front of what went wrong.
    ///   - isJSON: whether results are JSON lines.
    ///   - keepsProgress: whether what is being done stays on a terminal, a line each.
    ///   - sparesOutput: whether JSON lines go to standard error, as standard output is for something else.
    public init(
        command: String,
        isJSON: Bool,
        keepsProgress: Bool = false,
        sparesOutput: Bool = false
    ) {
        eventFile = sparesOutput ? STDERR_FILENO : STDOUT_FILENO
        self.command = command
        self.isJSON = isJSON
        isTerminal = isatty(STDERR_FILENO) == 1 && !keepsProgress
    }

    /// The same console, for one of several connections: its number is in front of each line for people, and in each event.
    ///
    /// - Parameter number: which connection.
    /// - Returns: the console.
    public func ofConnection(_ number: Int) -> Console {
        var console = self
        console.connection = number
        return console
    }

    /// Prints a result for people.
    ///
    /// - Parameter text: the result; it becomes printable, on a line of its own.
    public func result(_ text: String) {
        clearProgress()
        write(text.printable + "\n", to: STDOUT_FILENO)
    }

    /// Prints a picture for people.
    ///
    /// - Parameter lines: its lines; they are printed as they are, with what colours them.
    public func picture(_ lines: [String]) {
        clearProgress()
        write(lines.map { $0 + "\n" }.joined(), to: STDOUT_FILENO)
    }

    /// Prints an event for programs, if they are wanted.
    ///
    /// - Parameter members: names and values; without a value a member is left out.
    public func event(_ members: KeyValuePairs<String, JSONLine.Value?>) {
        guard isJSON else { return }
        let number = connection.map { JSONLine.Value.integer($0) }
        let line = JSONLine(Array(members) + [(key: "connection", value: number)])
        write(line.text + "\n", to: eventFile)
    }

    /// Says what is being done: over the last such line on a terminal, else on a line of its own.
    ///
    /// - Parameter text: what is being done; it becomes printable.
    public func progress(_ text: String) {
        guard !isJSON else { return }
        let line = (prefix + text).printable
        progressLine.isShown.store(isTerminal, ordering: .relaxed)
        Self.write(isTerminal ? Self.overwriting(with: line) : line + "\n", to: STDERR_FILENO)
    }

    /// Says what has become of something, on standard error, where it stays.
    ///
    /// - Parameter text: one line; it becomes printable.
    public func outcome(_ text: String) {
        guard !isJSON else { return }
        clearProgress()
        Self.write((prefix + text).printable + "\n", to: STDERR_FILENO)
    }

    /// Says what went wrong, on standard error; not where that is for events, one of which says it too.
    ///
    /// - Parameter text: one line; it becomes printable.
    public func failure(_ text: String) {
        guard !hasEventsOnStandardError else { return }
        clearProgress()
        Self.write("\(command): \(prefix)\(text)".printable + "\n", to: STDERR_FILENO)
    }

    private var prefix: String { connection.map { "connection \($0): " } ?? "" }

    /// Takes the line away that says what is being done, if there is one: else the line has what somebody said who did not
    /// end it.
    public func clearProgress() {
        guard progressLine.isShown.exchange(false, ordering: .relaxed) else { return }
        Self.write(Self.deletingLine, to: STDERR_FILENO)
    }

    /// To the start of the line, and delete to its end.
    private static let deletingLine = "\r\u{1B}[K"

    /// A line in place of the last one, without automatic wrap (DECAWM): of a line that took two rows on
    /// a narrow terminal, only the second could be deleted.
    private static func overwriting(with line: String) -> String {
        deletingLine + "\u{1B}[?7l" + line + "\u{1B}[?7h"
    }

    private func write(_ text: String, to file: Int32) {
        guard let number = Self.write(text, to: file), file == STDOUT_FILENO else { return }
        // The first time counts.
        output.fail(
            OutputFailure(description: SystemFailure("standard output", number).description)
        )
    }

    /// Writes at once, in one piece where the system takes it so: no line waits in a buffer.
    ///
    /// - Returns: why not all of it could be written, of `errno`; `nil` when it was.
    @discardableResult
    static func write(_ text: String, to file: Int32) -> Int32? {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count < 0 else {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                // Another program that has it open does not wait for it.
                var ready = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                _ = poll(&ready, 1, -1)
            case let number: return number
            }
        }
        return nil
    }
}

/// The line on a terminal that says what is being done.
private final class ProgressLine: Sendable {
    /// Whether it is there.
    let isShown = Atomic(false)
}

/// Standard output cannot be written.
private struct OutputFailure: CommandFailure, CustomStringConvertible {
    let description: String

    var exitStatus: ExitStatus { .cannotCreate }
    var codeName: String { "cannotWrite" }
}
