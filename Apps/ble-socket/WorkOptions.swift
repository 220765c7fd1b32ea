import ArgumentParser
import Glibc
import RadioCLI

/// The options that say what is done with a connection.
struct WorkOptions: ParsableArguments {
    @Option(help: "Run a shell command whose input and output is the other end.")
    var exec: String?

    @Flag(help: "Give the command of --exec a terminal; without one it is $SHELL.")
    var pty = false

    @Flag(help: "Let each key of this terminal go to the other end, for a shell with --pty there.")
    var tty = false

    @Option(help: ArgumentHelp("Send a file.", valueName: "file"))
    var send: String?

    @Option(help: ArgumentHelp("Receive a file.", valueName: "file"))
    var receive: String?

    @Option(help: "How many bytes are to be received; other than so many is a failure.")
    var bytes: UInt64?

    @Option(
        help: ArgumentHelp(
            """
            Without a stream: how long to stay after the end of what is sent. (default: until the other end leaves; after \
            a file or a command, 0.5)
            """,
            valueName: "seconds"
        ),
        transform: Duration.init(argument:)
    )
    var linger: Duration?

    func validate() throws {
        let works = [exec != nil || pty, send != nil, receive != nil, tty].count { $0 }
        if works > 1 {
            throw ValidationError("--exec, --tty, --send and --receive exclude each other")
        }
        if bytes != nil, receive == nil {
            throw ValidationError("--bytes goes with --receive")
        }
    }

    /// The shell of who runs this.
    private static let shell = "exec \"${SHELL:-/bin/sh}\""

    var kind: Work.Kind {
        if let send { return .send(send) }
        if let receive { return .receive(receive, byteCount: bytes) }
        if exec != nil || pty { return .command(exec ?? Self.shell, hasTerminal: pty) }
        return .standard(isTerminal: tty)
    }

    /// Looks that a file can be sent, or received, and that there is a terminal, before anybody is waited for.
    ///
    /// - Throws: ``SocketCommandFailure``.
    func checkFiles() throws {
        if tty { try RawTerminal.check() }
        // Without waiting for who writes to a pipe.
        if let send { _ = try ByteFile(send, O_RDONLY | O_NONBLOCK).size() }
        if let receive { try ByteFile.checkRoom(for: receive) }
    }

    /// Whether standard output is for what comes.
    var usesOutput: Bool {
        if case .standard = kind { true } else { false }
    }
}
