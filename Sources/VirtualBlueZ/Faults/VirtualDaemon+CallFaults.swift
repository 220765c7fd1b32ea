internal import BLEDBus

/// Calls that go wrong, or that nobody answers; a test's levers.
extension VirtualDaemon {
    /// Lets calls of a method go wrong from now on.
    ///
    /// Faults for the same calls come one after the other, in the order in which they were set. A
    /// daemon that takes this one's place has none.
    ///
    /// - Parameters:
    ///   - fault: what becomes of them.
    ///   - method: the interface's name, a dot, the method's: `org.bluez.Device1.Connect`; also those
    ///     of standard interfaces, `org.freedesktop.DBus.ObjectManager.GetManagedObjects`.
    ///   - path: only calls of this object or one below it.
    ///   - times: how many calls, 1 or more; `nil` for all that come.
    ///   - duration: how long; `nil` without an end.
    public func simulateCallFault(
        _ fault: CallFault,
        on method: String,
        below path: String = "/",
        times: Int? = 1,
        for duration: Duration? = nil
    ) {
        precondition(times.map { $0 > 0 } ?? true, "\(times ?? 0) times")
        guard let path = try? ObjectPath(path) else {
            preconditionFailure("\(path) is no object path")
        }
        let end = duration.map { clock.elapsed() + $0 }
        faults.calls.add(
            CallFaults.Entry(fault: fault, method: method, path: path, times: times, end: end)
        )
    }

    /// Takes back what was set with ``simulateCallFault(_:on:below:times:for:)``.
    ///
    /// Calls that wait already go on waiting.
    public func removeCallFaults() {
        faults.calls.removeAll()
    }

    /// Applies the fault that was set for a call, before it is served.
    ///
    /// - Returns: whether there was one.
    func applyFault(_ call: MethodCall) -> Bool {
        guard let fault = faults.calls.take(for: call.message, at: clock.elapsed()) else {
            return false
        }
        switch fault.effect {
        case .failure(let name, let text):
            call.fail(ErrorReply(ErrorName(rawValue: name), text))
        case .inProgress:
            call.fail(progress(of: call))
        case .late(let delay):
            after(delay) { $0.serve(call) }
        case .lateReply(let delay):
            serve(call) { daemon, reply in
                daemon.after(delay) { $0.connection.reply(reply) }
            }
        case .replyAfterNotification:
            serve(call) { $0.hold($1, untilNotificationAt: call.message.path ?? .root) }
        case .ignored:
            unansweredCalls.append(call)
        case .lostReply:
            serve(call) { _, _ in }
        case .crash:
            unansweredCalls.append(call)
            crash()
        }
        return true
    }

    private func serve(_ call: MethodCall) {
        connection.assumeIsolated { $0.serve(call) }
    }

    /// Serves a call, and does something else than sending the reply.
    private func serve(
        _ call: MethodCall,
        replying send: @escaping @Sendable (isolated VirtualDaemon, Message) -> Void
    ) {
        serve(
            call.redirectingReply { [weak self] reply in
                self?.assumeIsolated { send($0, reply) }
            }
        )
    }

    /// How BlueZ says that something of the kind is under way.
    private func progress(of call: MethodCall) -> ErrorReply {
        switch call.message.interface {
        case InterfaceName.adapter1: .alreadyInProgress
        case InterfaceName.device1 where !behavior.refusesSecondConnectAsInProgress:
            .operationInProgress
        default: .inProgress
        }
    }

    private func hold(_ reply: Message, untilNotificationAt path: ObjectPath) {
        let due = clock.elapsed() + timing.handlerLimit
        faults.heldReplies[path, default: []].append((reply: reply, due: due))
        after(timing.handlerLimit) { $0.releaseOverdueReplies(at: path) }
    }

    /// Sends what waits for a notification of a characteristic.
    func releaseReplies(at path: ObjectPath) {
        let held = faults.heldReplies.removeValue(forKey: path) ?? []
        for (reply, _) in held { connection.reply(reply) }
    }

    /// Sends what has waited for one until its time was over; what came later goes on waiting.
    private func releaseOverdueReplies(at path: ObjectPath) {
        let now = clock.elapsed()
        while let (reply, due) = faults.heldReplies[path]?.first, due <= now {
            faults.heldReplies[path]?.removeFirst()
            connection.reply(reply)
        }
        if faults.heldReplies[path]?.isEmpty == true { faults.heldReplies[path] = nil }
    }

    // MARK: - A daemon, or a peer's host, that answers nothing

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

    /// Returns at once, or when the daemon no longer hangs, or has ended.
    func waitWhileHanging() async {
        guard faults.isHanging, isRunning else { return }
        await withCheckedContinuation { continuation in
            let resumption = Resumption(continuation)
            // The actor may have done something else before this.
            guard faults.isHanging, isRunning else { return }
            faults.eventsWhileHanging.append { _ in withExtendedLifetime(resumption) {} }
        }
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
                daemon.resumeIndications(to: DeviceID(adapter: index, peer: adapter))
            }
        }
    }
}
