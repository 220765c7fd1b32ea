internal import BLE

// Scanning: from sightings to balls.
extension EightBallCentral {
    /// Who waits for a ball.
    struct Seeker {
        let isWanted: @Sendable (any PeripheralDevice) -> Bool
        let found: AsyncThrowingStream<Ball, any Error>.Continuation
    }

    /// Waits for a ball.
    ///
    /// - Parameter isWanted: whether a ball will do; called once for each.
    /// - Returns: the first ball that will do.
    /// - Throws: ``EightBallError``, `CancellationError`; see ``Central/discoverDevice(where:)``.
    public func discoverDevice(
        where isWanted: @escaping @Sendable (any PeripheralDevice) -> Bool
    ) async throws -> any PeripheralDevice {
        guard session != nil else { throw Self.stopped("the central has not been started") }
        if let ball = devices.first(where: isWanted) { return ball }
        if let scanFailure { throw scanFailure }
        let (balls, found) = AsyncThrowingStream.makeStream(of: Ball.self)
        let number = nextNumber()
        seekers[number] = Seeker(isWanted: isWanted, found: found)
        defer { seekers[number] = nil }
        let ball = try await withTimeLimit(timeouts.discovery, on: clock) {
            for try await ball in balls { return ball }
            throw CancellationError()
        }
        if let ball { return ball }
        throw EightBallError(
            .noBallFound,
            "no ball that is wanted was heard within \(timeouts.discovery) at "
                + "\(rssiWindow.lowerBound) to \(rssiWindow.upperBound)"
        )
    }

    /// Looks for no more balls, until the central is stopped and started again.
    public func stopScanning() {
        scanning?.cancel()
        aging?.cancel()
    }

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

    /// Listens until cancelled; after a failure of the radio begins anew.
    func keepScanning(_ first: AsyncThrowingStream<ScanEvent, any Error>) async {
        var events: AsyncThrowingStream<ScanEvent, any Error>? = first
        var told: EightBallError.Code?
        while !Task.isCancelled {
            do {
                if let current = events {
                    told = nil
                    scanFailure = nil
                    for try await event in current where !Task.isCancelled { hear(event) }
                    events = nil
                }
                try await clock.sleep(for: timeouts.retry)
                for await state in await radio.states() where state == .on { break }
                try Task.checkCancellation()
                events = try await scan()
            } catch is CancellationError {
                return
            } catch {
                events = nil
                let failure = EightBallError("looking for balls", at: .radio, failedWith: error)
                // Each retry fails the same way; observers are told once.
                if told != failure.code { scanFailed(failure) }
                told = failure.code
            }
        }
    }

    /// Tells how the radio is, until cancelled; stops when the radio is closed for good.
    func watchRadio() async {
        for await state in await radio.states() where state != toldState {
            guard !Task.isCancelled else { return }
            toldState = state
            observers.tell { await $0.central(self, radioDidBecome: state) }
        }
        guard !Task.isCancelled else { return }
        let failure = Self.stopped("the radio was closed")
        error = failure
        observers.tell { await $0.central(self, didFail: failure) }
        await stop()
    }

    private func scanFailed(_ failure: EightBallError) {
        guard !Task.isCancelled else { return }
        error = failure
        scanFailure = failure
        observers.tell { await $0.central(self, didFail: failure) }
        endSeeking(failure)
        for peer in order { forget(peer) }
    }

    private func hear(_ event: ScanEvent) {
        switch event {
        case .seen(let sighting):
            if records[sighting.peer] != nil {
                hearAgain(sighting)
            } else if !sighting.name.isEmpty, let rssi = sighting.rssi, rssiWindow.contains(rssi),
                makeRoom()
            {
                discover(sighting)
            }
        case .lost(let peer):
            forget(peer)
        }
    }

    /// Loses the ball that was silent for the longest when there are too many; none that is in use.
    ///
    /// - Returns: whether there is room for another one.
    private func makeRoom() -> Bool {
        guard order.count >= Self.maximumBallCount else { return true }
        let unused = records.values.filter { $0.link == nil && $0.unfinishedCount == 0 }
        let silent = unused.min { $0.presence.lastHeard < $1.presence.lastHeard }
        if let silent { forget(silent.ball.id) }
        return order.count < Self.maximumBallCount
    }

    private func discover(_ sighting: Sighting) {
        let ball = Ball(id: sighting.peer, name: sighting.name, central: self)
        records[ball.id] = BallRecord(ball, Presence(sighting.rssi, window: rssiWindow, at: .now))
        order.append(ball.id)
        observers.tell { await $0.central(self, didDiscover: ball) }
        for number in seekers.keys.sorted() where seekers[number]?.isWanted(ball) == true {
            seekers.removeValue(forKey: number)?.found.yield(ball)
        }
    }

    /// Nobody need wait for a ball any more.
    func endSeeking(_ failure: EightBallError) {
        for number in seekers.keys.sorted() { seekers[number]?.found.finish(throwing: failure) }
    }

    private func hearAgain(_ sighting: Sighting) {
        guard var record = records[sighting.peer] else { return }
        record.isForgotten = false
        let isOther = record.presence.hear(sighting.rssi, window: rssiWindow, at: .now)
        let isRenamed = !sighting.name.isEmpty && sighting.name != record.ball.name
        if isRenamed { record.ball = Ball(id: sighting.peer, name: sighting.name, central: self) }
        records[sighting.peer] = record
        guard isOther || isRenamed else { return }
        observers.tell { [ball = record.ball] in await $0.central(self, didChange: ball) }
    }

    /// Loses balls that have fallen silent, until cancelled.
    ///
    /// While a connection is made, the radio may hear nothing; a ball with a link need not
    /// advertise.
    func loseSilentBalls() async {
        // Ends only when cancelled.
        while (try? await clock.sleep(for: timeouts.silence / Presence.periodCount)) != nil {
            let isConnecting = records.values.contains { $0.asking?.exchange.isConnecting == true }
            for peer in order {
                guard let record = records[peer] else { continue }
                if isConnecting || record.link != nil || record.asking != nil || scanFailure != nil
                {
                    records[peer]?.presence.excuse()
                } else if records[peer]?.presence.passPeriod() == true {
                    forget(peer)
                }
            }
        }
    }

    /// Loses a ball that the radio has forgotten, or that is silent; one that is in use, when it no longer is.
    func forget(_ peer: PeerID) {
        guard let record = records[peer] else { return }
        guard record.link == nil, record.asking == nil else {
            records[peer]?.isForgotten = true
            return
        }
        records[peer] = nil
        order.removeAll { $0 == peer }
        observers.tell { await $0.central(self, didLose: record.ball) }
    }
}
