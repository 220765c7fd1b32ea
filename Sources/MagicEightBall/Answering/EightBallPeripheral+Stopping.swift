internal import BLE
internal import BLESession

// Stopping: accepted questions are answered or refused first.
extension EightBallPeripheral {
    /// Answers what was accepted, then stops.
    ///
    /// From now on each question is refused as ``RejectionReason/deviceOffline``. What is not answered
    /// when the time is over ends with ``EightBallError/Code/stopped``; askers of this SDK are refused as
    /// ``RejectionReason/deviceOffline``, and have ``Timeouts/closing`` to read that and any other reply.
    /// Another call of ``stop()`` ends the wait for answers, and returns when this one does.
    ///
    /// ```swift
    /// await ball.stop(finishing: .seconds(30))
    /// ```
    ///
    /// - Parameter limit: how long to wait for answers.
    public func stop(finishing limit: Duration) async {
        beginnings.end()
        await end(finishing: limit)
    }

    /// Ends what was started.
    func end(finishing limit: Duration) async {
        switch session {
        case .stopped:
            return
        case .running:
            // In a task of its own: the caller's may be cancelled.
            let closing = Task { await self.close(finishing: limit) }
            session = .closing(closing)
            await closing.value
        case .closing(let closing):
            if limit <= .zero {
                isHurried = true
                notifyWaits()
            }
            await closing.value
        }
    }

    private func close(finishing limit: Duration) async {
        watching?.cancel()
        watching = nil
        restoring?.cancel()
        restoring = nil
        await wait(limit) { $0.isHurried || $0.queue.open.isEmpty }
        let stopped = EightBallError(.stopped, "'\(localName)' was stopped")
        for question in queue.open { take(.refused(.deviceOffline, stopped), of: question.id) }
        await waitForReads()
        for id in forgetting.keys.sorted() { forgetting[id]?.cancel() }
        forgetting = [:]
        recent = [:]
        let publication = endPublication(because: stopped, reported: nil)
        settling?.cancel()
        settling = nil
        lastAnswered = nil
        if let publication {
            await withdraw(publication)
        } else {
            // Who publishes it takes it back.
            await wait(timeouts.radio) { $0.publishingCount == 0 }
        }
        isHurried = false
        session = .stopped
        runs.end()
    }

    /// Ends an asker's link, once it has read what it was refused with.
    func disconnect(_ peer: PeerID) async {
        await waitForReads(by: peer)
        guard let publication = publication.current, records[peer] != nil else { return }
        let attempt = "disconnecting \(peer)"
        do {
            let done: Void? = try await withTimeLimit(timeouts.radio, on: clock) {
                try await publication.disconnect(peer)
            }
            if done != nil { return }
            fail(EightBallError(attempt, at: .radio, tookLongerThan: timeouts.radio))
        } catch is CancellationError {
            // Its questions are refused all the same.
        } catch {
            fail(EightBallError(attempt, at: .radio, failedWith: error))
        }
    }

    /// Waits until all replies, or those to one asker, are read and have arrived, within a limit.
    private func waitForReads(by peer: PeerID? = nil) async {
        let askers = peer.map { [$0] } ?? order
        guard askers.contains(where: { records[$0]?.replies.next != nil }) else { return }
        await wait(timeouts.closing) { $0.hasReadAll(peer) }
        do {
            // A reply counts as read when its last byte is handed to the radio.
            try await clock.sleep(for: timeouts.settling)
        } catch {
            // Cancelled: the caller does not wait any longer.
        }
    }

    /// Whether no asker, or not this one, has a reply to read that it has not read.
    private func hasReadAll(_ peer: PeerID? = nil) -> Bool {
        let askers = peer.map { [$0] } ?? order
        return askers.allSatisfy { records[$0]?.replies.nextUnread == nil }
    }

    /// Waits for something that questions bring about, not longer than a limit.
    private func wait(
        _ limit: Duration,
        until isDone: @escaping @Sendable (isolated EightBallPeripheral) -> Bool
    ) async {
        guard limit > .zero, !isDone(self) else { return }
        let number = nextNumber()
        let (changes, wait) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        waits[number] = wait
        defer { waits[number] = nil }
        do {
            _ = try await withTimeLimit(limit, on: clock) {
                for await _ in changes where await isDone(self) { break }
            }
        } catch {
            // Cancelled: the caller does not wait any longer.
        }
    }

    /// Checks the waits again, after an event.
    func notifyWaits() {
        for wait in waits.values { wait.yield() }
    }
}
