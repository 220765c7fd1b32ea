internal import BLE

// Questions that wait for those before them.
extension EightBallCentral {
    /// A question is cancelled by whoever asked.
    func cancel(_ number: Int, of peer: PeerID) {
        let cancelled = EightBallError(.cancelled, "the question was cancelled")
        if !failWaiting(number, of: peer, because: cancelled) {
            advance(number, of: peer) { $0.abandon(cancelled) }
        }
    }

    /// The time of a whole question is over.
    func expire(_ number: Int, of peer: PeerID) {
        let waiting = records[peer]?.waiting.first { $0.id == number }
        let failure = waiting?.exchange.terms.lateInAll(.queued, timeouts.question)
        if let failure, failWaiting(number, of: peer, because: failure) { return }
        advance(number, of: peer) { $0.timedOut(.question) }
    }

    /// Ends a question that waits for those before it.
    ///
    /// - Returns: whether it was waiting.
    private func failWaiting(
        _ number: Int,
        of peer: PeerID,
        because failure: EightBallError
    ) -> Bool {
        guard let record = records[peer],
            let index = record.waiting.firstIndex(where: { $0.id == number })
        else { return false }
        let asking = record.waiting[index]
        records[peer]?.waiting.remove(at: index)
        asking.cancelTimers()
        finish(asking, of: record.ball, with: .failure(failure))
        return true
    }

    /// Ends all questions that wait for others.
    func failWaiting(of peer: PeerID, because failure: EightBallError) {
        for asking in records[peer]?.waiting ?? [] {
            _ = failWaiting(asking.id, of: peer, because: failure)
        }
    }

    /// Begins with the connection that is to be made, else with the question that has waited longest.
    func startNext(of peer: PeerID) {
        if records[peer]?.connecting != nil { return startConnecting(to: peer) }
        guard let asking = records[peer]?.waiting.first else { return }
        records[peer]?.waiting.removeFirst()
        start(asking, of: peer)
    }
}
