internal import BLE
internal import BLESession

// Discovery: from sightings to balls.
extension EightBallCentral {
    /// A call that waits for a ball.
    typealias Search = AsyncThrowingStream<any BallDevice, any Error>.Continuation

    /// Waits for a ball.
    ///
    /// - Parameter isWanted: whether a ball will do; called once for each, and again when it has another name.
    /// - Returns: the first ball that will do.
    /// - Throws: ``EightBallError``, `CancellationError`; see ``AskingCentral/discoverDevice(where:)``.
    public nonisolated func discoverDevice(
        where isWanted: @escaping @Sendable (any BallDevice) -> Bool
    ) async throws -> any BallDevice {
        let balls = await discoveries(for: nil)
        let ball = try await withTimeLimit(timeouts.discovery, on: clock) {
            for try await ball in balls where isWanted(ball) { return ball }
            throw CancellationError()
        }
        if let ball { return ball }
        throw EightBallError(noBallWithin: timeouts.discovery)
    }

    /// The balls that are known, then each one that is discovered, or has another name.
    ///
    /// - Parameter limit: when the stream ends; `nil` for never.
    /// - Returns: the balls, for one consumer; see ``AskingCentral/discoveries(for:)``.
    public func discoveries(
        for limit: Duration?
    ) -> AsyncThrowingStream<any BallDevice, any Error> {
        let (balls, found) = AsyncThrowingStream.makeStream(
            of: (any BallDevice).self,
            bufferingPolicy: .bufferingOldest(Self.maximumBallCount)
        )
        for ball in devices { found.yield(ball) }
        let failure = session.isStopped ? Self.notStarted : session.scanFailure
        guard failure == nil else {
            found.finish(throwing: failure)
            return balls
        }
        let number = nextNumber()
        searches[number] = found
        let timer = limit.map { Deadline(after: $0, on: clock, of: self) { _ in found.finish() } }
        found.onTermination = { [weak self] _ in
            timer?.cancel()
            // In a task, since the consumer may be anywhere when it drops the stream.
            Task { await self?.endSearch(number) }
        }
        return balls
    }

    private func endSearch(_ number: Int) { searches[number] = nil }

    /// Looks for no more balls, until the central is stopped and started again.
    public func stopScanning() {
        session.stopScanning()
    }

    /// Takes what the radio received.
    func handle(_ event: ScanEvent) {
        switch event {
        case .seen(let sighting):
            if records[sighting.peer] != nil {
                update(with: sighting)
            } else if !sighting.name.isEmpty, let rssi = sighting.rssi, rssiWindow.contains(rssi),
                makeRoom()
            {
                discover(sighting, rssi)
            }
        case .lost(let peer):
            remove(peer)
        }
    }

    /// Removes the ball whose last sighting is oldest when there are too many; none that is in use.
    ///
    /// - Returns: whether there is room for another one.
    private func makeRoom() -> Bool {
        guard order.count >= Self.maximumBallCount else { return true }
        let unused = records.values.filter { !isInUse($0) && $0.unfinishedCount == 0 }
        let oldest = unused.min { $0.presence.lastSeen < $1.presence.lastSeen }
        if let oldest { remove(oldest.ball.id) }
        return order.count < Self.maximumBallCount
    }

    private func discover(_ sighting: Sighting, _ rssi: RSSI) {
        let ball = DiscoveredBall(sighting, central: self)
        records[ball.id] = BallRecord(ball, Presence(rssi, window: rssiWindow, at: .now))
        order.append(ball.id)
        report(.discovered(ball))
        tellSearches(of: ball)
    }

    private func tellSearches(of ball: DiscoveredBall) {
        for number in searches.keys.sorted() {
            if case .dropped = searches[number]?.yield(ball) {
                searches[number]?.finish(throwing: Self.tooManyUnread)
            }
        }
    }

    private static var tooManyUnread: EightBallError {
        EightBallError(.overflow, "more than \(maximumBallCount) discovered balls were not read")
    }

    /// Ends all calls that wait for a ball.
    func failSearches(_ failure: EightBallError) {
        for number in searches.keys.sorted() {
            searches.removeValue(forKey: number)?.finish(throwing: failure)
        }
    }

    private func update(with sighting: Sighting) {
        guard var record = records[sighting.peer] else { return }
        record.isForgotten = false
        let hasMoved = record.presence.update(sighting.rssi, window: rssiWindow, at: .now)
        let isRenamed = !sighting.name.isEmpty && sighting.name != record.ball.name
        if isRenamed { record.ball = DiscoveredBall(sighting, central: self) }
        records[sighting.peer] = record
        guard hasMoved || isRenamed else { return }
        report(.changed(record.ball))
        // The system may show another name than the one that a ball advertises, once it has been connected to, for a moment.
        if isRenamed { tellSearches(of: record.ball) }
    }

    /// Whether a ball has a link, or something is done with it.
    func isInUse(_ record: BallRecord) -> Bool {
        links[record.ball.id] != nil || record.asking != nil || record.connecting != nil
    }

    /// Removes a ball that is lost; one that is in use, when it no longer is.
    func remove(_ peer: PeerID) {
        guard let record = records[peer] else { return }
        guard !isInUse(record) else {
            records[peer]?.isForgotten = true
            return
        }
        records[peer] = nil
        // Also the place of a link that could not be made.
        links.remove(peer)
        links.release(peer)
        order.removeAll { $0 == peer }
        report(.lost(record.ball))
    }
}
