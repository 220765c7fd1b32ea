internal import BLE
internal import BLESession

// Scanning: the radio, as long as the session lasts.
extension EightBallCentral {
    /// Begins a scan, within the limit.
    func scan() async throws -> AsyncThrowingStream<ScanEvent, any Error> {
        let filter = ScanFilter(service: EightBallService.uuid)
        let events = try await withTimeLimit(timeouts.radio, on: clock) { [radio] in
            try await radio.scan(filter)
        }
        guard let events else {
            throw EightBallError("scanning", at: .radio, tookLongerThan: timeouts.radio)
        }
        return events
    }

    /// Scans until cancelled; a scan that the radio ended is begun anew.
    func keepScanning(_ first: AsyncThrowingStream<ScanEvent, any Error>) async {
        var events = first
        while true {
            var failure: EightBallError?
            do {
                session.scanFailure = nil
                for try await event in events where !Task.isCancelled { handle(event) }
            } catch is CancellationError {
                return
            } catch {
                let lost = Self.scanFailure(error)
                scanFailed(lost)
                failure = lost
            }
            do {
                events = try await radioSession.restore(lastReported: failure?.code) {
                    try await scan()
                } failure: {
                    Self.scanFailure($0)
                } report: {
                    scanFailed($0)
                }
            } catch {
                // Cancelled: the central was stopped, or need not scan any more.
                return
            }
        }
    }

    private static func scanFailure(_ error: any Error) -> EightBallError {
        EightBallError("looking for balls", at: .radio, failedWith: error)
    }

    /// Reports the radio's state until cancelled; stops when the radio is closed for good.
    func watchRadio() async {
        let isClosed = await radioSession.watch(since: reportedState) { state in
            reportedState = state
            report(.radioBecame(state))
        }
        guard isClosed else { return }
        let failure = Self.stopped("the radio was closed")
        report(.failed(failure))
        runs.end(throwing: failure)
        await stop()
    }

    private func scanFailed(_ failure: EightBallError) {
        guard !Task.isCancelled else { return }
        session.scanFailure = failure
        report(.failed(failure))
        failSearches(failure)
        for peer in order { remove(peer) }
    }

    /// Removes balls that have not been seen for ``Timeouts/loss``, until cancelled.
    ///
    /// While a connection is made the radio may receive nothing; a connected ball need not advertise.
    func removeUnseenBalls() async {
        // Ends only when cancelled.
        while (try? await clock.sleep(for: Presence.period(of: timeouts.loss))) != nil {
            let isConnecting = records.values.contains(where: \.isConnecting)
            for peer in order {
                guard let record = records[peer] else { continue }
                if isConnecting || isInUse(record) || session.scanFailure != nil {
                    records[peer]?.presence.resetPeriods()
                } else if records[peer]?.presence.endPeriod() == true {
                    remove(peer)
                }
            }
        }
    }
}
