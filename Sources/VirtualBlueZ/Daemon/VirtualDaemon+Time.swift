internal import BLEDBus

/// What happens by itself, and when; time that passes when a test says so.
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

    /// Does something after a time, if the link to a peer is still the same then.
    func after(
        _ delay: Duration,
        over id: DeviceID,
        _ work: @escaping @Sendable (isolated VirtualDaemon) -> Void
    ) {
        let number = world.links[id.adapter, id.peer]?.number
        after(delay) { daemon in
            guard daemon.world.links[id.adapter, id.peer]?.number == number else { return }
            work(daemon)
        }
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

    /// Handles all events that are due; those of the time when the daemon hung when it goes on.
    func ring() {
        guard isRunning, !faults.isHanging else { return }
        alarm?.task.cancel()
        alarm = nil
        // Not what becomes due meanwhile: calls have their turn in between.
        let now = clock.elapsed()
        while let event = schedule.popDue(at: now) { handle(event) }
        arm()
    }

    func handle(_ event: Schedule.Event) {
        switch event {
        case .advertisingReport(let adapter): report(to: adapter)
        case .discoveryStart(let adapter): finishStartingDiscovery(on: adapter)
        case .advertisementEnd(let id, let adapter): expireAdvertisement(id, on: adapter)
        case .discoverableEnd(let id, let adapter): endBeingDiscoverable(id, on: adapter)
        case .modeEnd(let mode, let adapter): change(mode, of: adapter, to: false)
        case .connection(let device): finishConnecting(device)
        case .connectionFailure(let device): failConnecting(device)
        case .resolution(let device): resolve(device)
        case .disconnection(let device): finishDisconnecting(device)
        case .removal(let device): remove(device)
        case .handlerTimeout(let operation): respond(operation, .failure(.unlikelyError))
        case .commands(let device): deliverCommands(of: device)
        case .crash, .crashAfterLostWrite: crash()
        case .supervisionTimeout(let device): endLink(device)
        case .abandonment(let device): endLink(device, because: (.remote, .remote))
        case .requestTimeout(let operation): expireRequest(operation)
        case .indicationTimeout(let device): closeBearer(of: device)
        case .step(let pair): takeStep(of: pair)
        case .deferred(let number): deferred.removeValue(forKey: number)?(self)
        }
    }

    /// How much waits for a time, a reply or a client; it does not grow where nothing is under way.
    var pendingCount: Int {
        schedule.count + deferred.count + operations.count + unansweredCalls.count
            + applicationSockets.count + world.links.pendingCount + faults.eventsWhileHanging.count
            + indications.values.map(\.count).reduce(0, +)
            + faults.heldReplies.count
    }

    // MARK: - Time that a test lets pass

    /// Lets time pass on the daemon's ``ManualClock``, from one event to the next.
    ///
    /// Each event happens at its time, in its order; what it makes the daemon say is on the bus before
    /// the next one. So an hour's scan makes all the reports of an hour. A daemon that hangs sees
    /// nothing of it until it goes on. Returns when the time is over.
    ///
    /// What is due at once happens by itself too, but when is left to chance; no time at all lets it
    /// happen before this returns.
    ///
    /// The daemon has to have been started with a ``ManualClock``.
    ///
    /// - Parameter duration: how long, 0 or more.
    public func passTime(_ duration: Duration) async {
        await passTime(duration) {}
    }

    /// Lets time pass as ``passTime(_:)`` does, and lets others act in between.
    ///
    /// - Parameters:
    ///   - duration: how long, 0 or more.
    ///   - step: called after each event, for a program that is to act before the next one.
    /// - Throws: what `step` throws.
    public func passTime(
        _ duration: Duration,
        afterEach step: @Sendable () async throws -> Void
    ) async rethrows {
        guard let manual = setup.manualClock else {
            preconditionFailure("time passes by itself on a clock that is not a ManualClock")
        }
        let end = clock.elapsed() + duration
        // What was sent before comes before.
        await reachBus()
        isPassingTime = true
        defer {
            isPassingTime = false
            arm()
        }
        while isRunning, !faults.isHanging, !isTimeOver, let due = schedule.next, due <= end {
            manual.advance(by: max(.zero, due - clock.elapsed()))
            ring()
            await reachBus()
            try await step()
        }
        guard !isTimeOver else { return }
        manual.advance(by: max(.zero, end - clock.elapsed()))
    }

    /// Returns when the bus has all that was said, and what it has sent meanwhile was handled; at once where nothing is said.
    func reachBus() async {
        // One that hangs would not read the replies.
        guard !faults.isHanging else { return }
        let bus = "org.freedesktop.DBus"
        let path: ObjectPath = "/org/freedesktop/DBus"
        guard let call = try? Message.methodCall(to: bus, at: path, bus, "GetId") else { return }
        // The first reply may come before what others had sent by then: of connections that can be read, the bus
        // reads the one first that it has been watching for longest. It has read them all before the second.
        // A bus that is gone has nothing to send.
        for _ in 0..<2 { _ = try? await connection.call(call) }
    }
}
