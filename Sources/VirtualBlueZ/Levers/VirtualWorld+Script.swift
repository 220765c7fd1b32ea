internal import BLEDBus

/// Levers that are pulled when their time has come.
extension VirtualWorld {
    /// Pulls levers at their times, counted from now; returns when those without a delay were pulled.
    ///
    /// A script takes the place of one that runs. It goes on while the daemon is dead, and ends with
    /// ``close()``. A step that can't be done is told and passed over.
    ///
    /// - Parameters:
    ///   - script: the levers and their times.
    ///   - onFailure: called in order with each step that failed, and with the reason.
    public func run(
        _ script: FaultScript,
        onFailure: @escaping @Sendable (FaultScript.Step, any Error) -> Void
    ) async {
        let begin = now
        await finish { world in
            world.steps = script.steps.map { (due: begin + $0.time, step: $0) }
            world.onFailure = onFailure
            await world.pullDueSteps()
        }
    }

    /// Lets time pass on the daemon's ``ManualClock``, from one event of the daemon or step of the
    /// script to the next; see ``VirtualDaemon/passTime(_:afterEach:)``.
    ///
    /// It ends with ``close()``.
    ///
    /// - Parameter duration: how long, 0 or more.
    public func passTime(_ duration: Duration) async {
        await finish { _ = await $0.letPass(duration) }
    }

    /// Does something when all before it has been done, and waits for it; a closed world does nothing.
    private func finish(_ work: @escaping Work) async {
        await withCheckedContinuation { continuation in
            let isOpen = submit { world in
                await work(world)
                continuation.resume()
            }
            if !isOpen { continuation.resume() }
        }
    }

    /// The time since the first daemon's start.
    var now: Duration { daemon.setup.clock.elapsed() }

    var hasManualClock: Bool { daemon.setup.manualClock != nil }

    /// - Returns: whether all of it has passed; ``close()`` lets no more pass.
    func letPass(_ duration: Duration) async -> Bool {
        let end = now + duration
        while !isClosing, let due = steps.first?.due, due <= end {
            await daemon.passTime(max(.zero, due - now))
            await pullDueSteps()
        }
        guard !isClosing else { return false }
        await daemon.passTime(max(.zero, end - now))
        return !isClosing
    }

    private func pullDueSteps() async {
        while !isClosing, let (due, step) = steps.first, due <= now {
            steps.removeFirst()
            do {
                try await step.lever.pull(in: self, step.arguments)
            } catch {
                onFailure(step, error)
            }
        }
        setStepAlarm()
    }

    private func setStepAlarm() {
        stepAlarm?.cancel()
        guard !isClosing else { return }
        stepAlarm = steps.first.map { due, _ in
            Task { [weak self, clock = daemon.setup.clock] in
                do {
                    try await clock.sleep(due)
                } catch {
                    // Another script has taken this one's place, or there is none any more.
                    return
                }
                await self?.submitDueSteps()
            }
        }
    }

    private func submitDueSteps() {
        _ = submit { await $0.pullDueSteps() }
    }
}
