internal import Glibc

/// The open terminal, and how it was before.
struct TerminalDevice: ~Copyable {
    /// Its own open file, which never blocks.
    ///
    /// That of standard input is the shell's as well.
    let number: Int32

    private let original: termios

    /// Opens a terminal once more.
    ///
    /// - Parameter descriptor: one of its open files.
    /// - Throws: ``TerminalError/Code/systemFailure``.
    init(of descriptor: Int32) throws(TerminalError) {
        let flags = O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        var number = open("/proc/self/fd/\(descriptor)", flags)
        // After `su` the terminal is another user's, but still the one of this program.
        if number < 0 { number = open("/dev/tty", flags) }
        guard number >= 0 else { throw .system("opening the terminal") }
        var original = termios()
        guard tcgetattr(number, &original) == 0 else {
            let error = TerminalError.system("reading the terminal's settings")
            close(number)
            throw error
        }
        self.number = number
        self.original = original
    }

    deinit {
        close(number)
    }

    /// How many cells it has; 80 × 24 where it doesn't say.
    var size: Size {
        var window = winsize()
        guard ioctl(number, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0
        else { return Size(columns: 80, rows: 24) }
        return Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    /// Whether it is this program's, and no other job's of the shell.
    ///
    /// In the background this program would be stopped when it changes the terminal.
    var isInForeground: Bool {
        let foreground = tcgetpgrp(number)
        return foreground < 0 || foreground == getpgrp()
    }

    /// Makes it raw, on its alternate screen; in the foreground.
    func enter() throws(TerminalError) {
        var raw = original
        cfmakeraw(&raw)
        guard set(raw) else { throw .system("changing the terminal's settings") }
        writeAll(Self.entering)
    }

    /// Makes it as it was; in the background the shell has done that.
    func leave() {
        guard isInForeground else { return }
        writeAll(Self.leaving)
        // The rest of what was pasted is not for the shell.
        tcflush(number, TCIFLUSH)
        _ = set(original)
    }

    /// What has come: no bytes when nothing has, `nil` when nothing will.
    func read() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = Glibc.read(number, &bytes, bytes.count)
        if count > 0 { return Array(bytes.prefix(count)) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
    }

    /// Writes what it takes now.
    ///
    /// - Returns: how many bytes.
    func write(_ bytes: some Collection<UInt8>) -> Int {
        let bytes = Array(bytes)
        return max(0, Glibc.write(number, bytes, bytes.count))
    }

    /// Writes all, but waits for a terminal that takes nothing for a second at most.
    private func writeAll(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = write(rest)
            rest = rest.dropFirst(count)
            guard count == 0 else { continue }
            var ready = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
            guard poll(&ready, 1, 1_000) != 0, Int32(ready.revents) & (POLLHUP | POLLERR) == 0
            else { return }
        }
    }

    private func set(_ settings: termios) -> Bool {
        var settings = settings
        while tcsetattr(number, TCSANOW, &settings) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    // The alternate screen; bracketed paste; no cursor; the plain style; empty. Source: xterm, Control Sequences.
    private static let entering = "\u{1B}[?1049h\u{1B}[?2004h\u{1B}[?25l\u{1B}[m\u{1B}[2J"
    // First the end of what may have been cut.
    private static let leaving =
        "\u{1B}\\\u{1B}]8;;\u{1B}\\\u{1B}[m\u{1B}[?2004l\u{1B}[?25h\u{1B}[?1049l"
}
