/// What happens by itself, and when.
extension VirtualDaemon {
    /// Lets something happen after a time.
    func set(_ event: Schedule.Event, after delay: Duration) {
        schedule.set(event, at: clock.elapsed() + delay)
        arm()
    }

    func cancel(_ event: Schedule.Event) {
        schedule.cancel(event)
        arm()
    }

    /// Does something after a time.
    func after(_ delay: Duration, _ work: @escaping @Sendable (isolated VirtualDaemon) -> Void) {
        lastDeferred += 1
        deferred[lastDeferred] = work
        set(.deferred(lastDeferred), after: delay)
    }

    /// Sets the alarm to what is due next.
    func arm() {
        guard isRunning, !faults.isHanging, !isPassingTime, schedule.next != alarm?.due else {
            return
        }
        alarm?.task.cancel()
        alarm = schedule.next.map { due in
            let task = Task { [weak self, clock] in
                do {
                    try await clock.sleep(due)
                } catch {
                    // Another alarm has taken this one's place.
                    return
                }
                await self?.ring()
            }
            return (due, task)
        }
    }

    /// Lets all happen that is due; what has become due while the daemon hung, when it goes on.
    func ring() {
        guard isRunning, !faults.isHanging else { return }
        alarm?.task.cancel()
        alarm = nil
        // Not what becomes due meanwhile: calls have their turn in between.
        let now = clock.elapsed()
        while let event = schedule.popDue(at: now) { happen(event) }
        arm()
    }

    private func happen(_ event: Schedule.Event) {
        switch event {
        case .advertisingReport(let adapter): report(to: adapter)
        case .connection(let device): finishConnecting(device)
        case .connectionFailure(let device): failConnecting(device)
        case .resolution(let device): resolve(device)
        case .disconnection(let device): finishDisconnecting(device)
        case .removal(let device): remove(device)
        case .handlerTimeout(let operation): respond(operation, .failure(.unlikelyError))
        case .commands(let device): endBurst(of: device)
        case .crash, .lateReply: crash()
        case .supervisionTimeout(let device): losePeer(device)
        case .abandonment(let device): losePeer(device, because: (.remote, .remote))
        case .requestTimeout(let operation): expireRequest(operation)
        case .step(let pair): takeStep(of: pair)
        case .deferred(let number): deferred.removeValue(forKey: number)?(self)
        }
    }

    /// How much waits for a time, a reply or a client; it does not grow where nothing is under way.
    var pendingCount: Int {
        schedule.count + deferred.count + operations.count + forgottenCalls.count
            + applicationSockets.count + bursts.count + faults.traffic.count
            + faults.missed.count + faults.heldReplies.count
    }
}
