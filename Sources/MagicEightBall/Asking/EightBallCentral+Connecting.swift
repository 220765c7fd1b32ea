internal import BLE
internal import BLESession

// Connections that are made for their own sake, and held.
extension EightBallCentral {
    /// Connects to a ball, and holds the connection.
    func connect(to device: any BallDevice) async throws {
        try Task.checkCancellation()
        let peer = device.id
        guard !session.isStopped else {
            throw Self.stopped(
                "'\(device.name)' was not connected: the central has not been started"
            )
        }
        guard let record = records[peer] else {
            throw EightBallError(.deviceOffline, "'\(device.name)' was not connected: it is lost")
        }
        guard links[peer] == nil || links.isGivingWay(peer) else { return links.hold(peer) }
        if record.connecting == nil {
            records[peer]?.connecting = BallRecord.Connecting(id: nextNumber())
            startConnectingTimer(.connecting, timeouts.connection, for: peer)
            // Else the question under way connects, or this begins when it ends.
            if !record.isBusy { startConnecting(to: peer) }
        }
        guard let number = records[peer]?.connecting?.id,
            let end = records[peer]?.connecting?.addCall()
        else { return }
        for try await _ in end {}
        guard Task.isCancelled else { return }
        guard records[peer]?.connecting?.id == number else {
            // It came about, or failed, just before.
            guard links[peer] == nil else { return }
            throw CancellationError()
        }
        if records[peer]?.connecting?.removeCall() == true {
            let cancelled = EightBallError(
                .cancelled,
                "connecting to '\(device.name)' was cancelled"
            )
            endConnecting(to: peer, because: cancelled)
        }
        throw CancellationError()
    }

    /// Holds a ball's connection no longer, and ends it as soon as no question needs it.
    func disconnect(from peer: PeerID) async {
        guard let record = records[peer] else { return }
        links.release(peer, isConnecting: record.unfinishedCount > 0)
        let cancelled = EightBallError(
            .cancelled,
            "connecting to '\(record.ball.name)' was cancelled: it was to be disconnected"
        )
        endConnecting(to: peer, because: cancelled)
        await endIdleLink(to: peer)
    }

    /// Makes the link, unless that is under way.
    func startConnecting(to peer: PeerID) {
        guard let connecting = records[peer]?.connecting, connecting.request == nil else { return }
        let number = connecting.id
        records[peer]?.connecting?.request = executor.task(of: self) { central in
            do {
                try await central.makeLink(to: peer) {
                    guard central.records[peer]?.connecting?.id == number else { return }
                    central.startConnectingTimer(
                        .resolving,
                        central.timeouts.resolution,
                        for: peer
                    )
                }
            } catch {
                guard let current = central.records[peer]?.connecting, current.id == number else {
                    return
                }
                let failure = central.failure(current.stage, of: peer, error)
                central.endConnecting(to: peer, because: failure)
            }
        }
    }

    /// A link was made, or the attempt is given up: reports it to the calls that wait.
    ///
    /// - Parameters:
    ///   - peer: the ball. Nothing happens when no call waits for it.
    ///   - failure: what they fail with; `nil` when there is a link.
    func endConnecting(to peer: PeerID, because failure: EightBallError?) {
        guard var connecting = records[peer]?.connecting else { return }
        records[peer]?.connecting = nil
        if let failure {
            connecting.request?.cancel()
            records[peer]?.error = failure
        } else {
            links.hold(peer)
        }
        connecting.end(throwing: failure)
        guard connecting.request != nil else { return }
        startNext(of: peer)
        didBecomeIdle(peer)
    }

    private func startConnectingTimer(
        _ stage: EightBallError.Stage,
        _ limit: Duration,
        for peer: PeerID
    ) {
        records[peer]?.connecting?.timer?.cancel()
        records[peer]?.connecting?.stage = stage
        records[peer]?.connecting?.timer = Deadline(after: limit, on: clock, of: self) { central in
            guard let name = central.records[peer]?.ball.name else { return }
            let late = EightBallError(Self.attempt(stage, name), at: stage, tookLongerThan: limit)
            central.endConnecting(to: peer, because: late)
        }
    }

    private func failure(
        _ stage: EightBallError.Stage,
        of peer: PeerID,
        _ cause: any Error
    ) -> EightBallError {
        let name = records[peer]?.ball.name ?? ""
        return EightBallError(Self.attempt(stage, name), at: stage, failedWith: cause)
    }

    private static func attempt(_ stage: EightBallError.Stage, _ name: String) -> String {
        stage == .resolving ? "reading the services of '\(name)'" : "connecting to '\(name)'"
    }
}
