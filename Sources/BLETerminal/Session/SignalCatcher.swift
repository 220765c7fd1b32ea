internal import Glibc
internal import Synchronization

/// Catches the signals that a full-screen program must know of, for one reader.
///
/// A handler writes them into a pipe. `signalfd` and `DispatchSource` need them blocked in all threads, but
/// the main thread of a program with an `async` main has them all unblocked. The pipe is kept until the program ends, as a
/// handler may still run in another thread when its reader is gone.
struct SignalCatcher: ~Copyable {
    /// Where each signal comes as a byte.
    let bell: Bell

    private var replaced: [(number: Int32, action: sigaction)]
    private var isLettingThrough = false

    private static let isTaken = Atomic(false)
    /// Those that end a program.
    private static let ends = [SIGINT, SIGQUIT, SIGTERM, SIGHUP]
    private static let numbers = ends + [SIGTSTP, SIGCONT, SIGWINCH]

    private static let bell = Result { () throws(TerminalError) in try Bell() }

    /// Catches the signals from now on.
    init() throws(TerminalError) {
        guard !Self.isTaken.exchange(true, ordering: .acquiring) else {
            throw TerminalError(.inUse, "this program already uses the terminal")
        }
        do {
            bell = try Self.bell.get()
        } catch {
            Self.isTaken.store(false, ordering: .releasing)
            throw error
        }
        // What came for an earlier reader.
        while bell.next() != nil {}
        replaced = Self.numbers.compactMap { number in
            var old = sigaction()
            sigaction(number, nil, &old)
            // What a shell ignores for a program, as `nohup` does, stays ignored.
            if unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self) == 1 { return nil }
            Self.handle(number)
            return (number, old)
        }
    }

    deinit {
        for (number, action) in replaced { Self.set(number, action) }
        // What came too late to be reported does what it would have done.
        while !isLettingThrough, let byte = bell.next() {
            if Self.ends.contains(Int32(byte)) { kill(getpid(), Int32(byte)) }
        }
        Self.isTaken.store(false, ordering: .releasing)
    }

    /// Catches no signal any more, but `SIGHUP`: when a terminal goes away, that comes more than once.
    mutating func letThrough() {
        isLettingThrough = true
        for (number, action) in replaced where number != SIGHUP { Self.set(number, action) }
        replaced.removeAll { $0.number != SIGHUP }
    }

    /// The signal that came first, if one came.
    func next() -> Int32? { bell.next().map(Int32.init) }

    /// Stops the program as `SIGTSTP` does, and returns when it goes on.
    ///
    /// A program whose shell is gone is not stopped, as nobody could make it go on: it returns at once.
    func stop() {
        var standard = sigaction()
        sigaction(SIGTSTP, &standard, nil)
        raise(SIGTSTP)
        Self.handle(SIGTSTP)
    }

    private static func set(_ number: Int32, _ action: sigaction) {
        var action = action
        sigaction(number, &action, nil)
    }

    private static func handle(_ number: Int32) {
        var action = sigaction()
        action.sa_flags = SA_RESTART
        action.__sigaction_handler.sa_handler = { number in
            let error = errno
            if case .success(let bell) = SignalCatcher.bell {
                bell.ring(UInt8(truncatingIfNeeded: number))
            }
            errno = error
        }
        sigaction(number, &action, nil)
    }
}
