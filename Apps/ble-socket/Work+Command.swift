import BLE
import BLESocket
import Dispatch
import Glibc
import RadioCLI

// A command whose input and output is the other end.
extension Work {
    func run(_ text: String, hasTerminal: Bool) async throws {
        let exit = try Bell()
        let (pid, input, output) = try Self.start(text, hasTerminal: hasTerminal, exit)
        exit.ring(whenEnds: pid)
        let result: Result<Void, any Error>
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
                },
                // It may have closed its output before.
                inputEnd: { try await exit.wait() }
            )
            result = .success(())
        } catch {
            result = .failure(error)
        }
        let isTold = output.isFinished
        input.finish()
        output.finish()
        if isTold {
            // Who has been told that no more comes may have something to do with it yet.
            _ = try? await withTimeLimit(Self.endingLimit, on: ContinuousClock()) {
                try await exit.wait()
            }
        }
        let status = await Self.end(pid)
        try result.get()
        console.event(["event": "exited", "status": .integer(Int(status))])
    }

    /// Starts a command.
    ///
    /// - Parameters:
    ///   - text: the command.
    ///   - hasTerminal: whether it gets a terminal, and not pipes.
    ///   - exit: rings when it has ended.
    /// - Returns: its process, where its output is read, and where its input is written.
    /// - Throws: `SystemFailure`.
    private static func start(
        _ text: String,
        hasTerminal: Bool,
        _ exit: Bell
    ) throws -> (pid: pid_t, input: ByteFile, output: ByteFile) {
        var command = ShellCommand(text)
        guard !hasTerminal else {
            let (number, path) = try openTerminal()
            // What the command leaves in the background may have its terminal open for long.
            let terminal = ByteFile(number, name: "the terminal", isOwned: true, end: exit)
            command.terminal = path
            return (try command.start(), terminal, terminal)
        }
        var given: [Int32] = []
        defer { for end in given { close(end) } }
        let toCommand = try makePipe()
        given.append(toCommand.reading)
        let output = ByteFile(toCommand.writing, name: "the command's input", isOwned: true)
        let fromCommand = try makePipe()
        given.append(fromCommand.writing)
        let input = ByteFile(fromCommand.reading, name: "the command's output", isOwned: true)
        command.files = (toCommand.reading, fromCommand.writing, nil)
        return (try command.start(), input, output)
    }

    /// Opens a pseudo-terminal of the size of this one.
    private static func openTerminal() throws -> (number: Int32, path: String) {
        // As posix_openpt, unlockpt and ptsname do it, which Swift does not import: see ioctl_tty(2).
        let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
        // One that is ready may take less than is written, and would let that wait.
        let number = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { throw SystemFailure("opening a pseudo-terminal") }
        var (isLocked, name): (Int32, UInt32) = (0, 0)
        guard ioctl(number, setLock, &isLocked) == 0, ioctl(number, getNumber, &name) == 0 else {
            let failure = SystemFailure("opening a pseudo-terminal")
            close(number)
            throw failure
        }
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

    /// How long a command may take to end when no more comes, and then when it is hung up; and the other end of a terminal.
    static let endingLimit = Duration.seconds(5)

    /// Hangs a command up, and kills it when it stays all the same.
    ///
    /// - Parameter pid: its process.
    /// - Returns: how it ended, as a shell tells it.
    private static func end(_ pid: pid_t) async -> Int32 {
        kill(-pid, SIGHUP)
        let killing = DispatchSource.makeTimerSource()
        killing.setEventHandler { _ = kill(-pid, SIGKILL) }
        killing.schedule(deadline: .now() + .seconds(Int(endingLimit.components.seconds)))
        killing.activate()
        defer { killing.cancel() }
        return await status(of: pid)
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

extension Bell {
    /// Waits until it has been rung.
    ///
    /// - Throws: `CancellationError`.
    func wait() async throws {
        try await ByteFile(ends.reading, name: "a bell", isOwned: false).untilReadable()
    }
}

/// The terminal of standard input, each key of which goes to the other end.
final class RawTerminal: Sendable {
    private let before: termios

    /// - Throws: ``SocketCommandFailure`` when standard input is no terminal.
    static func check() throws {
        guard isatty(STDIN_FILENO) == 1 else {
            throw SocketCommandFailure(.usage, "usage", "--tty: standard input is no terminal")
        }
    }

    init() throws {
        try RawTerminal.check()
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw SystemFailure("--tty") }
        before = settings
        cfmakeraw(&settings)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }

    func restore() {
        var settings = before
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }
}
