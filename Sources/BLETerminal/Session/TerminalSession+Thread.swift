internal import BLELocking
internal import Glibc

extension TerminalSession {
    /// What the thread gets; it takes the loop out.
    private final class Start {
        var loop: SessionLoop?

        init(_ loop: consuming SessionLoop) {
            self.loop = consume loop
        }
    }

    /// Runs a loop in a thread of its own.
    func start(_ loop: consuming SessionLoop) throws(TerminalError) {
        var thread = pthread_t()
        let start = Unmanaged.passRetained(Start(loop))
        let status = pthread_create(
            &thread,
            nil,
            { start in
                // Some thread must take the signals, and one that Dispatch starts blocks them all.
                var none = sigset_t()
                sigemptyset(&none)
                pthread_sigmask(SIG_SETMASK, &none, nil)
                guard let start else { return nil }
                let owner = Unmanaged<Start>.fromOpaque(start).takeRetainedValue()
                var loop = owner.loop.take()
                loop?.run()
                return nil
            },
            start.toOpaque()
        )
        guard status == 0 else {
            var loop = start.takeRetainedValue().loop.take()
            loop?.end()
            errno = status
            throw .system("starting a thread for the terminal")
        }
        state.withLock { $0.thread = thread }
    }

    /// Ends the thread, which restores the terminal.
    func end() async {
        let thread = state.withLock { state in
            state.isEnding = true
            state.isEndUntold = false
            state.close()
            return state.thread.take()
        }
        bell.ring()
        guard let thread else { return }
        // It waits for nothing but a terminal that takes no bytes, and that for a second at most.
        pthread_join(thread, nil)
    }

    /// The variables of the environment that matter here.
    static func environment() -> [String: String] {
        var values: [String: String] = [:]
        for name in ["TERM", "NO_COLOR"] {
            values[name] = getenv(name).map { String(cString: $0) }
        }
        return values
    }
}
