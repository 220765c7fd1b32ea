import Dispatch
import Glibc
import RadioCLI

// A command whose input and output is the other end.
extension Work {
    func run(_ text: String, hasTerminal: Bool) async throws {
        var command = ShellCommand(text)
        let input: ByteFile
        let output: ByteFile
        var given: [Int32] = []
        if hasTerminal {
            let terminal = try Self.openTerminal()
            command.terminal = terminal.path
            output = ByteFile(terminal.number, name: "the terminal", isOwned: true)
            input = output
        } else {
            let toCommand = try makePipe()
            let fromCommand = try makePipe()
            given = [toCommand.reading, fromCommand.writing]
            command.files = (toCommand.reading, fromCommand.writing, nil)
            output = ByteFile(toCommand.writing, name: "the command's input", isOwned: true)
            input = ByteFile(fromCommand.reading, name: "the command's output", isOwned: true)
        }
        let pid: pid_t
        do {
            defer { for end in given { close(end) } }
            pid = try command.start()
        }
        do {
            try await join(input: input, output: output, endsWith: .input) {
                // The end of transmission, as somebody at a terminal types it.
                if hasTerminal { try await output.write([4]) } else { output.finish() }
            }
        } catch {
            kill(-pid, SIGHUP)
            _ = await Self.status(of: pid)
            throw error
        }
        kill(-pid, SIGHUP)
        let status = await Self.status(of: pid)
        console.event(["event": "exited", "status": .integer(Int(status))])
    }

    /// Opens a pseudo-terminal of the size of this one.
    private static func openTerminal() throws -> (number: Int32, path: String) {
        // As posix_openpt, unlockpt and ptsname do it, which Swift does not import: see ioctl_tty(2).
        let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
        let number = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (isLocked, name): (Int32, UInt32) = (0, 0)
        guard number >= 0, ioctl(number, setLock, &isLocked) == 0,
            ioctl(number, getNumber, &name) == 0
        else { throw SystemFailure("opening a pseudo-terminal") }
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(STDIN_FILENO, UInt(TIOCGWINSZ), &size)
        _ = ioctl(number, UInt(TIOCSWINSZ), &size)
        return (number, "/dev/pts/\(name)")
    }

    /// How a command ended, as a shell tells it; waits for that.
    private static func status(of pid: pid_t) async -> Int32 {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "waits for a command").async {
                var status: Int32 = 0
                while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
                let signal = status & 0x7F
                continuation.resume(
                    returning: signal == 0 ? (status >> 8) & 0xFF : 128 + signal
                )
            }
        }
    }
}

/// The terminal of standard input, each key of which goes to the other end.
final class RawTerminal: Sendable {
    private let before: termios

    init() throws {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
            throw SocketCommandFailure(.usage, "usage", "--tty: standard input is no terminal")
        }
        before = settings
        cfmakeraw(&settings)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }

    func restore() {
        var settings = before
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }
}
