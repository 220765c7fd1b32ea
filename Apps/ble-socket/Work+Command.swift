import BLESocket
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
        let result: Result<Void, any Error>
        var graceSeconds = 0
        do {
            async let _: Void = hasTerminal ? follow(output) : ()
            try await join(
                input: input,
                endsWith: .input,
                hangsUp: hasTerminal,
                // A command need not read all.
                write: { _ = try await output.offer($0) },
                endOutput: {
                    // The end of transmission, as somebody at a terminal types it.
                    if hasTerminal { _ = try await output.offer([4]) } else { output.finish() }
                }
            )
            result = .success(())
        } catch {
            // Who has been told that no more comes may have something to do with it yet.
            if error is SocketError, output.isFinished { graceSeconds = Self.endingLimitSeconds }
            result = .failure(error)
        }
        input.finish()
        output.finish()
        let status = await Self.end(pid, after: graceSeconds)
        try result.get()
        console.event(["event": "exited", "status": .integer(Int(status))])
    }

    /// Opens a pseudo-terminal of the size of this one.
    private static func openTerminal() throws -> (number: Int32, path: String) {
        // As posix_openpt, unlockpt and ptsname do it, which Swift does not import: see ioctl_tty(2).
        let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
        // One that is ready may take less than is written, and would let that wait.
        let number = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        var (isLocked, name): (Int32, UInt32) = (0, 0)
        guard number >= 0, ioctl(number, setLock, &isLocked) == 0,
            ioctl(number, getNumber, &name) == 0
        else { throw SystemFailure("opening a pseudo-terminal") }
        (TerminalSize(of: STDIN_FILENO) ?? .standard).apply(to: number)
        return (number, "/dev/pts/\(name)")
    }

    /// Gives the command's terminal the size of the other end's, whenever that changes.
    private func follow(_ terminal: ByteFile) async {
        // A connection that has ended ends the work.
        guard (try? await connection.send(.sizeQuestion)) != nil else { return }
        for await case .size(let size) in terminalMessages { terminal.resize(to: size) }
    }

    /// Tells the other end the size of this terminal when it asks, and from then on whenever it changes.
    func tellSize() async {
        guard await terminalMessages.contains(.sizeQuestion) else { return }
        let (changes, change) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let source = DispatchSource.makeSignalSource(signal: SIGWINCH)
        source.setEventHandler { change.yield() }
        source.activate()
        defer { source.cancel() }
        change.yield()
        for await _ in changes {
            guard let size = TerminalSize(of: STDIN_FILENO) else { continue }
            guard (try? await connection.send(.size(size))) != nil else { return }
        }
    }

    /// How long a command may take to end when it is hung up.
    private static let endingLimitSeconds = 5

    /// Hangs a command up, and kills it when it stays all the same.
    ///
    /// - Parameters:
    ///   - pid: its process.
    ///   - graceSeconds: how long it may take to end by itself.
    /// - Returns: how it ended, as a shell tells it.
    private static func end(_ pid: pid_t, after graceSeconds: Int) async -> Int32 {
        var timers = [signal(SIGKILL, to: pid, after: graceSeconds + endingLimitSeconds)]
        if graceSeconds > 0 {
            timers.append(signal(SIGHUP, to: pid, after: graceSeconds))
        } else {
            kill(-pid, SIGHUP)
        }
        defer { for timer in timers { timer.cancel() } }
        return await status(of: pid)
    }

    private static func signal(
        _ signal: Int32,
        to pid: pid_t,
        after seconds: Int
    ) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource()
        timer.setEventHandler { _ = kill(-pid, signal) }
        timer.schedule(deadline: .now() + .seconds(seconds))
        timer.activate()
        return timer
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
