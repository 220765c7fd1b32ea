import Dispatch
import Glibc

/// The signals that end the program, and the one that tells of a child's end.
enum Signals {
    /// One signal.
    struct Signal: Sendable {
        /// 0 for one of ``mark()``.
        let number: Int32

        /// Whether the terminal sent it, to this process and to its children.
        let isFromTerminal: Bool
    }

    /// The signals in the order in which they come, for one reader.
    ///
    /// They are caught by a handler that writes into a pipe: the main thread of a program with an
    /// `async` main waits with all signals unblocked, so it would take them away from whoever waits
    /// for blocked ones.
    static func stream() -> AsyncStream<Signal> {
        let (stream, continuation) = AsyncStream.makeStream(of: Signal.self)
        let end = pipe.reading
        for number in [SIGINT, SIGTERM, SIGCHLD] { catchSignal(number) }
        // A thread of its own, as it waits for ever.
        DispatchQueue(label: "signals").async {
            var bytes: [UInt8] = [0, 0]
            while true {
                let count = read(end, &bytes, bytes.count)
                if count < 0 && errno == EINTR { continue }
                guard count == bytes.count else { return }
                continuation.yield(
                    Signal(number: Int32(bytes[0]), isFromTerminal: bytes[1] != 0)
                )
            }
        }
        return stream
    }

    /// Puts a mark behind those that have come.
    static func mark() { report(0, isFromTerminal: false) }

    private static let pipe: (reading: Int32, writing: Int32) = {
        var ends: [Int32] = [-1, -1]
        precondition(Glibc.pipe(&ends) == 0, "no pipe for signals: \(errno)")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }()

    /// Writes the signal's number, and whether the kernel sent it, as it does for a terminal.
    private static func catchSignal(_ number: Int32) {
        var action = sigaction()
        action.sa_flags = SA_SIGINFO | SA_RESTART
        action.__sigaction_handler.sa_sigaction = { number, information, _ in
            let isFromKernel = information?.pointee.si_code == Int32(SI_KERNEL)
            Signals.report(number, isFromTerminal: isFromKernel)
        }
        sigaction(number, &action, nil)
    }

    /// Writes a signal into the pipe, for who reads the stream.
    private static func report(_ number: Int32, isFromTerminal: Bool) {
        let bytes: (UInt8, UInt8) = (UInt8(truncatingIfNeeded: number), isFromTerminal ? 1 : 0)
        withUnsafeBytes(of: bytes) { _ = write(pipe.writing, $0.baseAddress, 2) }
    }
}
