internal import BLE
internal import BLEDBus
internal import Logging

/// The one discovery that all scans share: starting and stopping it, and seeing that it goes on.
extension Adapter {
    /// Calls what the discovery needs now.
    func steerDiscovery() {
        discovery.isWanted = !scans.isEmpty
        switch discovery.next() {
        case .start(let epoch):
            setDiscoveryFilter()
            let start = Adapter1(path: path).startDiscovery
            connection.request(start, logger, timeLimit: recovery.startLimit) {
                [weak self] result in
                self?.assumeIsolated { $0.didStartDiscovery(result, epoch) }
            }
            setDiscoveryTimer(recovery.startReplyLimit) { $0.assumeDiscoveryStarted() }
        case .stop(let epoch):
            stopDiscovery(epoch)
        case nil:
            break
        }
        if discovery.isStopped { resumeDiscoveryStopWaiters() }
        // A scan does not wait for the connection that it gives way to.
        if discovery.isRunning || discovery.isPaused {
            for scan in scans.values { scan.listening.fulfil() }
        }
        if !discovery.isPaused { resumptionWaits.fulfilAll() }
    }

    private func stopDiscovery(_ epoch: Int) {
        // Also after an error: then there was no discovery.
        connection.request(Adapter1(path: path).stopDiscovery, logger) { [weak self] _ in
            self?.assumeIsolated { $0.didStopDiscovery(epoch) }
        }
        setDiscoveryTimer(recovery.stopReplyLimit) { $0.didStopDiscovery(epoch) }
    }

    private func didStopDiscovery(_ epoch: Int) {
        guard discovery.didStop(epoch: epoch) else { return }
        discoveryTimer?.cancel()
        steerDiscovery()
    }

    /// The filter stays with bluetoothd as long as this connection, and the adapter's power.
    private func setDiscoveryFilter() {
        guard !isDiscoveryFilterSet else { return }
        isDiscoveryFilterSet = true
        connection.request(Adapter1(path: path).setDiscoveryFilter, logger) { [weak self] result in
            guard case .failure = result else { return }
            self?.assumeIsolated { $0.isDiscoveryFilterSet = false }
        }
    }

    private func didStartDiscovery(_ result: Result<Message, any Error>, _ epoch: Int) {
        var failure: (any Error)?
        if case .failure(let error) = result { failure = error }
        let hasNoReply = (failure as? BusError)?.code == .timedOut
        // One that goes on without a reply needs none.
        if hasNoReply, discovery.isRunning { return }
        let isLate = !discovery.isStarting
        guard discovery.didStart(failure == nil, epoch: epoch) else {
            // Asked for before the power went, begun when it was back: nobody wants it, unless it was asked for again.
            if failure == nil, !discovery.isStarting, !discovery.isRunning {
                connection.request(Adapter1(path: path).stopDiscovery, logger) { _ in }
            }
            return
        }
        let isInProgress = (failure as? ErrorReply)?.name == BlueZError.inProgress
        // Either this client has a discovery that it doesn't know of, which is ended, or the kernel
        // has one of a bluetoothd that was killed, for 10 s; then nothing would be reported.
        if isInProgress { connection.request(Adapter1(path: path).stopDiscovery, logger) { _ in } }
        // It may begin yet, and nobody waits for it any longer.
        if hasNoReply { connection.request(Adapter1(path: path).stopDiscovery, logger) { _ in } }
        // After a late reply the timer sees that the discovery goes on.
        if !isLate { discoveryTimer?.cancel() }
        if isInProgress, discovery.failureCount < recovery.startPauses.count {
            retryDiscovery(after: recovery.startPauses[discovery.failureCount])
        } else if let failure {
            let text = "scanning with \(name)"
            failScans(BlueZError.translate(failure, for: .use, text))
        } else if isDiscovering {
            discovery.didSucceed()
        } else if discovery.failureCount > 0 {
            superviseDiscovery()
        }
        steerDiscovery()
    }

    /// Goes on without a reply, once bluetoothd shows that it discovers.
    private func assumeDiscoveryStarted() {
        guard discovery.isStarting, isDiscovering else { return }
        logger.info(
            """
            bluetoothd discovers, and did not reply to StartDiscovery; it goes on until the adapter is \
            closed
            """
        )
        discoveryTimer?.cancel()
        discovery.didStartUnanswered()
        steerDiscovery()
    }

    private func failScans(_ error: any Error) {
        discovery.didSucceed()
        let scans = scans.values
        self.scans = [:]
        for scan in scans { scan.end(error) }
    }

    func resumeDiscoveryStopWaiters() {
        for promise in discoveryStopWaiters { promise.fulfil() }
        discoveryStopWaiters = []
    }

    // MARK: - Supervision

    private var isDiscovering: Bool {
        mirror[path, Adapter1.interface].map { Adapter1(path: path, properties: $0) }?
            .isDiscovering ?? false
    }

    /// Starts again in a while.
    private func retryDiscovery(after pause: Duration) {
        logger.info("a discovery is in progress; trying again in \(pause.inUnits)")
        let epoch = discovery.waitToRetry()
        setDiscoveryTimer(pause) { adapter in
            if adapter.discovery.didWaitToRetry(epoch: epoch) { adapter.steerDiscovery() }
        }
    }

    /// Does something in a while, unless something else is to be done before.
    private func setDiscoveryTimer(
        _ delay: Duration,
        _ work: @escaping @Sendable (isolated Adapter) -> Void
    ) {
        discoveryTimer?.cancel()
        // Cancelled when the adapter is lost.
        discoveryTimer = Deadline(after: delay, on: recovery.clock, of: self, work)
    }

    /// bluetoothd's `Discovering` changed, for whichever program.
    func didChangeDiscovering(_ isDiscovering: Bool) {
        if isDiscovering { assumeDiscoveryStarted() }
        guard discovery.isRunning else { return }
        if isDiscovering {
            discovery.didSucceed()
            discoveryTimer?.cancel()
        } else {
            superviseDiscovery()
        }
    }

    /// Starts a discovery anew that has ended by itself, if it has not begun again in a while.
    private func superviseDiscovery() {
        let limit = recovery.discoveryRestartDelay * (1 << discovery.failureCount)
        setDiscoveryTimer(limit) { $0.restartDiscovery() }
    }

    private func restartDiscovery() {
        guard !isDiscovering, !scans.isEmpty else { return }
        // One that could not be stopped for a connection is started anew behind that.
        guard !discovery.isPaused else { return superviseDiscovery() }
        guard discovery.failureCount < recovery.restartCount else {
            let text =
                "scanning with \(name): bluetoothd stopped discovering, and did not begin again when it"
                + " was asked to, \(discovery.failureCount) times\(BlueZError.stuckRemedy)"
            failScans(RadioError(.timedOut, text))
            return steerDiscovery()
        }
        guard case .stop(let epoch) = discovery.restart() else { return }
        logger.info("bluetoothd ended the discovery; starting it again")
        stopDiscovery(epoch)
    }
}
