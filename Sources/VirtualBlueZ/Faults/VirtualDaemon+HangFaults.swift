internal import DBus

/// A daemon, or a peer's host, that answers nothing; a test's levers.
extension VirtualDaemon {
    /// Stops the daemon, as by SIGSTOP: it keeps its name, and answers nothing.
    ///
    /// Its clients get nothing until ``simulateContinuation()``; what they send waits in the bus.
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
        let missed = faults.eventsWhileHanging
        faults.eventsWhileHanging = []
        for event in missed { event(self) }
        ring()
    }

    /// Handles an event from outside: now, or once the daemon no longer hangs.
    func whenNotHanging(_ event: @escaping @Sendable (isolated VirtualDaemon) -> Void) {
        guard isRunning else { return }
        if faults.isHanging { faults.eventsWhileHanging.append(event) } else { event(self) }
    }

    /// Lets an adapter's host reply to nothing, as one that hangs while its controller goes on.
    ///
    /// It advertises and can be connected to, but replies to nothing and notifies nothing. A request
    /// to it fails with ATT 0x0e after ``Timing/requestLimit``, and the link is given up two seconds
    /// later (``Timing/disconnecting``); services of a new link are not resolved. Does nothing when it
    /// is so already.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulateSilence(of adapter: Int) {
        whenNotHanging { daemon in
            guard daemon.faults.unresponsiveHosts.insert(adapter).inserted else { return }
            let sent = daemon.operations.numbers { $0.device.peer == adapter && $0.isSent }
            for number in sent { daemon.limitRequest(number) }
        }
    }

    /// Lets a host reply again; it does what it was asked for meanwhile.
    ///
    /// Does nothing when it does already.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulateSpeech(of adapter: Int) {
        whenNotHanging { daemon in
            guard daemon.faults.unresponsiveHosts.remove(adapter) != nil else { return }
            for number in daemon.operations.numbers(where: {
                $0.device.peer == adapter && $0.isSent
            }) {
                guard let operation = daemon.operations[number] else { continue }
                daemon.cancel(.requestTimeout(operation: number))
                if let response = operation.response {
                    daemon.transmit(operation.device.opposite) { $0.finish(number, response) }
                } else if !operation.hasArrived {
                    daemon.sendRequest(number)
                }
            }
            for index in daemon.adapters.keys.sorted() {
                daemon.resumeResolving(DeviceID(adapter: index, peer: adapter))
                daemon.resumeIndications(to: DeviceID(adapter: adapter, peer: index))
            }
        }
    }
}
