internal import BLELocking
internal import Glibc

/// A terminal in full-screen use: raw, on its alternate screen, until the session ends.
///
/// ```swift
/// try await TerminalSession.run { session in
///     for await event in session.events {
///         …
///         try await session.draw(screen)
///     }
/// }
/// ```
///
/// However the session ends, also by a signal, the terminal is restored. It has one thread of its own, which
/// ends with it.
public final class TerminalSession: Sendable {
    /// What the terminal can do.
    public let features: TerminalFeatures

    let state: Locked<SessionState>
    /// Wakes the thread.
    let bell: Bell

    // MARK: - Beginning and end

    /// Uses the terminal of standard input and output, as long as a function runs.
    ///
    /// In the background, after `bg` or `&`, the terminal is left alone, and drawing waits, until the program is in the
    /// foreground. The function must not call `exit`, which would leave the terminal as it is.
    ///
    /// - Parameters:
    ///   - pasteLimitBytes: how many bytes of one paste are kept.
    ///   - body: uses the session.
    /// - Returns: what that returns.
    /// - Throws: ``TerminalError`` with ``TerminalError/Code/notATerminal``, ``TerminalError/Code/noCursor``,
    ///   ``TerminalError/Code/inUse`` or ``TerminalError/Code/systemFailure``; what the function throws.
    public static func run<Output>(
        pasteLimitBytes: Int = 65_536,
        _ body: (TerminalSession) async throws -> Output
    ) async throws -> Output {
        for (descriptor, name) in [(STDIN_FILENO, "input"), (STDOUT_FILENO, "output")]
        where isatty(descriptor) != 1 {
            throw TerminalError(
                .notATerminal,
                "standard \(name) is not a terminal; run this in a terminal window, without | < or >"
            )
        }
        let session = try TerminalSession(
            of: STDIN_FILENO,
            features: TerminalFeatures(environment: environment()),
            catchesSignals: true,
            pasteLimitBytes: pasteLimitBytes
        )
        return try await session.use(body)
    }

    /// Runs a function, and ends the session.
    package func use<Output>(
        _ body: (TerminalSession) async throws -> Output
    ) async throws -> Output {
        do {
            let output = try await body(self)
            await end()
            return output
        } catch {
            await end()
            throw error
        }
    }

    /// Begins a session, which ``use(_:)`` must end.
    ///
    /// - Parameters:
    ///   - descriptor: an open file of the terminal.
    ///   - features: what the terminal can do.
    ///   - catchesSignals: whether signals of the process are for this session; for one at a time.
    ///   - pasteLimitBytes: how many bytes of one paste are kept.
    /// - Throws: ``TerminalError``.
    package init(
        of descriptor: Int32,
        features: TerminalFeatures,
        catchesSignals: Bool,
        pasteLimitBytes: Int = 65_536
    ) throws {
        guard features.movesCursor else {
            throw TerminalError(
                .noCursor,
                "this terminal can't show a full screen (TERM is 'dumb', or not set)"
            )
        }
        // Before anything is changed that a signal would leave behind.
        let signals: SignalCatcher? = catchesSignals ? try SignalCatcher() : nil
        let device = try TerminalDevice(of: descriptor)
        bell = try Bell()
        self.features = features
        state = Locked(SessionState(size: device.size))
        let parser = KeyParser(pasteLimitBytes: pasteLimitBytes)
        try start(SessionLoop(device, signals, parser, self))
    }

    // MARK: - Use

    /// How many cells the terminal has.
    public var size: Size { state.withLock(\.size) }

    /// What happens at the terminal, for one consumer; first its size.
    ///
    /// While nobody takes events, a few dozen wait here, and the keys after them in the system. The
    /// sequence ends after ``TerminalEvent/terminated(signal:)`` and ``TerminalEvent/ended``, with the session, and when
    /// the task is cancelled.
    public var events: TerminalEvents { TerminalEvents(session: self) }

    /// Shows a screen, by writing what has changed since the last one.
    ///
    /// Waits until the terminal has taken the one before it, so a slow terminal gets fewer of them, not older ones; in the
    /// background until the program is in the foreground. Does nothing between a session's end and the event that tells of it.
    ///
    /// - Parameter screen: what is shown.
    /// - Throws: ``TerminalError`` with ``TerminalError/Code/closed`` when the session has ended; `CancellationError`.
    public func draw(_ screen: Screen) async throws {
        try await write(.screen(screen))
    }

    /// Rings the bell.
    ///
    /// - Throws: ``TerminalError`` with ``TerminalError/Code/closed`` when the session has ended; `CancellationError`.
    public func ringBell() async throws {
        try await write(.bytes([0x07]))
    }

    /// Stops the program, with others that the shell started as one job, as Ctrl-Z does elsewhere.
    ///
    /// The terminal is restored until the program goes on; then ``TerminalEvent/resumed(_:)`` comes.
    public func suspend() {
        kill(0, SIGTSTP)
    }

    // MARK: - Private parts

    private enum Output {
        case screen(Screen)
        case bytes([UInt8])
    }

    // Swift 6.3's optimiser dies of this with a closure for a parameter.
    private func write(_ output: Output) async throws {
        while true {
            // Not `checkCancellation`: Swift 6.3's optimiser dies of it here.
            if Task.isCancelled { throw CancellationError() }
            if try accept(output) { return }
            await waitForOutput()
        }
    }

    /// Takes output, unless there is some already, or nobody would see it.
    ///
    /// - Returns: whether it was taken.
    private func accept(_ output: Output) throws(TerminalError) -> Bool {
        let isAccepted = try state.withLock { state throws(TerminalError) in
            try state.accept { shown in
                switch output {
                case .bytes(let bytes): return bytes
                case .screen(let screen):
                    let renderer = ScreenRenderer(features: features)
                    defer { shown = screen }
                    return renderer.diff(from: shown, to: screen)
                }
            }
        }
        if isAccepted { bell.ring() }
        return isAccepted
    }

    /// Waits until the output was taken, or this is cancelled.
    private func waitForOutput() async {
        let id = state.withLock { state in
            state.lastWriter += 1
            return state.lastWriter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                state.withLock { state in
                    if state.hasRoom || state.isClosed || Task.isCancelled {
                        continuation.resume()
                    } else {
                        state.writers[id] = continuation
                    }
                }
            }
        } onCancel: {
            state.withLock { $0.writers.removeValue(forKey: id)?.resume() }
        }
    }

    /// The next event; `nil` after the last one, and when this is cancelled.
    func nextEvent() async -> TerminalEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<TerminalEvent?, Never>) in
                state.withLock { state in
                    precondition(state.reader == nil, "events are for one consumer")
                    if Task.isCancelled {
                        continuation.resume(returning: nil)
                    } else {
                        // There is room then for what was typed meanwhile.
                        if state.events.isFull { bell.ring() }
                        state.reader = continuation
                        state.deliver()
                    }
                }
            }
        } onCancel: {
            state.withLock { state in
                state.reader?.resume(returning: nil)
                state.reader = nil
            }
        }
    }
}
