internal import DBus

/// A daemon that hangs.
extension VirtualDaemon {
    /// Stops the daemon, as by SIGSTOP: it keeps its name, and answers nothing.
    ///
    /// Its clients hear nothing until ``simulateContinuation()``; what they send waits in the bus.
    /// What happens to adapters meanwhile is seen afterwards. Does nothing when it hangs already.
    public func simulateHang() {
        guard isRunning, !faults.isHanging else { return }
        faults.isHanging = true
        connection.assumeIsolated { $0.suspend() }
    }

    /// Lets a daemon that hangs go on, as by SIGCONT.
    ///
    /// First it sees what has happened to its adapters, then what has become due, then what its
    /// clients have sent. Does nothing when it does not hang.
    public func simulateContinuation() {
        guard isRunning, faults.isHanging else { return }
        faults.isHanging = false
        connection.assumeIsolated { $0.resume() }
        let missed = faults.missed
        faults.missed = []
        for happening in missed { happening(self) }
        ring()
    }

    /// Does what happens to a daemon from outside: now, or when it no longer hangs.
    func see(_ happening: @escaping @Sendable (isolated VirtualDaemon) -> Void) {
        guard isRunning else { return }
        if faults.isHanging { faults.missed.append(happening) } else { happening(self) }
    }
}
