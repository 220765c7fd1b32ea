internal import BLELocking
internal import Glibc

/// The thread of a session: reads, writes, and learns of signals.
///
/// A thread, because it must end with the session and leave nothing behind, while those of Dispatch stay; and because a
/// terminal has to be restored even when no task gets to run. Only the thread uses what the state does not
/// have, so it is consumed by it.
struct SessionLoop: ~Copyable {
    private let device: TerminalDevice
    private var signals: SignalCatcher?
    private var parser: KeyParser
    private let session: TerminalSession

    /// When the last byte came.
    private var lastInput = ContinuousClock.now
    /// Whether the terminal is raw; not in the background.
    private var isEntered: Bool
    /// Whether the last event was reported.
    private var isFinished = false

    init(
        _ device: consuming TerminalDevice,
        _ signals: consuming SignalCatcher?,
        _ parser: KeyParser,
        _ session: TerminalSession
    ) throws(TerminalError) {
        // In the background it is entered later.
        let isInForeground = device.isInForeground
        if isInForeground { try device.enter() }
        session.state.withLock { $0.isShown = isInForeground }
        isEntered = isInForeground
        self.device = device
        self.signals = signals
        self.parser = parser
        self.session = session
    }

    /// How long what has begun may take to go on.
    private static func limit(_ wait: KeyParser.Wait) -> Duration {
        switch wait {
        case .sequence: .milliseconds(50)
        case .paste: .seconds(5)
        }
    }

    /// How long it may take to notice that the program is in the foreground, as not every shell says it.
    private static let foregroundLimit = Duration.seconds(1)

    /// Runs until the session ends, and restores the terminal.
    mutating func run() {
        while true {
            if !isEntered, !isFinished, device.isInForeground { enter() }
            let (isEnding, reads, writes) = session.state.withLock { state in
                (
                    state.isEnding,
                    isEntered && !state.events.isFull && !state.events.isFinished,
                    isEntered && !state.output.isEmpty
                )
            }
            if isEnding { break }
            wait(reads: reads, writes: writes)
        }
        end()
        session.state.withLock { state in
            state.events.finish()
            state.deliver()
        }
    }

    /// Restores the terminal, and what signals do.
    mutating func end() {
        leave()
        signals = nil
    }

    private mutating func wait(reads: Bool, writes: Bool) {
        let events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0)
        var ready = [
            pollfd(fd: session.bell.reading, events: Int16(POLLIN), revents: 0),
            // A number below 0 is left out.
            pollfd(fd: signals?.bell.reading ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: isEntered ? device.number : -1, events: Int16(events), revents: 0),
        ]
        let deadline =
            if isEntered {
                reads ? parser.wait.map { lastInput + Self.limit($0) } : nil
            } else {
                isFinished ? nil : ContinuousClock.now + Self.foregroundLimit
            }
        guard poll(&ready, nfds_t(ready.count), milliseconds(until: deadline)) >= 0 else { return }
        if ready[0].revents != 0 { while session.bell.next() != nil {} }
        let terminal = Int32(ready[2].revents)
        if terminal & (POLLIN | POLLHUP | POLLERR | POLLNVAL) != 0 {
            read()
        } else if isEntered, let deadline, ContinuousClock.now >= deadline {
            report(parser.timeOut())
        }
        if terminal & POLLOUT != 0 { write() }
        if ready[1].revents != 0, let signal = signals?.next() { handle(signal) }
    }

    /// How long `poll` waits; for ever when there is no deadline.
    private func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let rest = deadline - ContinuousClock.now
        return Int32(max(0, min(60_000, (rest / .milliseconds(1)).rounded(.up))))
    }

    private mutating func read() {
        guard let bytes = device.read() else { return finish(.ended) }
        guard !bytes.isEmpty else { return }
        lastInput = .now
        report(parser.receive(bytes))
    }

    private func write() {
        let device = device.number
        session.state.withLock { state in
            let bytes = Array(state.output.prefix(65_536))
            guard !bytes.isEmpty else { return }
            state.didWrite(max(0, Glibc.write(device, bytes, bytes.count)))
        }
    }

    private func report(_ inputs: [Input]) {
        session.state.withLock { state in
            for input in inputs { state.report(.input(input)) }
        }
    }

    private mutating func handle(_ signal: Int32) {
        guard !isFinished else { return }
        switch signal {
        case SIGWINCH: resize { .resized($0) }
        case SIGTSTP:
            leave()
            signals?.stop()
        // Also after `SIGSTOP`, which nobody can catch.
        case SIGCONT: enter()
        default: finish(.terminated(signal: signal))
        }
    }

    private mutating func enter() {
        let isInForeground = device.isInForeground
        isEntered = isInForeground
        session.state.withLock { $0.isShown = isInForeground }
        guard isInForeground else { return }
        do {
            try device.enter()
            resize { .resumed($0) }
        } catch {
            finish(.ended)
        }
    }

    private mutating func leave() {
        guard isEntered else { return }
        isEntered = false
        session.state.withLock { state in
            state.isShown = false
            state.forget()
        }
        device.leave()
    }

    private func resize(_ event: (Size) -> TerminalEvent) {
        let size = device.size
        session.state.withLock { state in
            state.forget()
            state.size = size
            state.report(event(size))
        }
    }

    /// Restores the terminal, and reports the last event; a signal after it ends a program that does not.
    private mutating func finish(_ event: TerminalEvent) {
        isFinished = true
        session.state.withLock { state in
            state.isEndUntold = true
            state.close()
        }
        leave()
        signals?.letThrough()
        session.state.withLock { $0.report(event) }
    }
}
