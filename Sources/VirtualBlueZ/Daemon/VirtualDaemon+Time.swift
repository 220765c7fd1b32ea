internal import DBus

/// Time that passes when a test says so.
extension VirtualDaemon {
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
        while isRunning, !faults.isHanging, let due = schedule.next, due <= end {
            manual.advance(by: max(.zero, due - clock.elapsed()))
            ring()
            await reachBus()
            try await step()
        }
        manual.advance(by: max(.zero, end - clock.elapsed()))
    }

    /// Returns when the bus has all that was said, and what it has sent meanwhile was heard.
    private func reachBus() async {
        let bus = "org.freedesktop.DBus"
        let path: ObjectPath = "/org/freedesktop/DBus"
        guard let call = try? Message.methodCall(to: bus, at: path, bus, "GetId") else { return }
        // A bus that is gone has nothing to send.
        _ = try? await connection.call(call)
    }
}
