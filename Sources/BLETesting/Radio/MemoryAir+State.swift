internal import BLE

/// Whether radios can be used, and what ends when they no longer can.
extension MemoryAir {
    func capabilities(of radio: PeerID) -> RadioCapabilities {
        guard let record = radios[radio] else { return RadioCapabilities() }
        let count = record.configuration.advertisementCount
        return RadioCapabilities(
            system: "memory",
            roles: [.central, .peripheral, .simultaneous],
            advertisementCount: count,
            freeAdvertisementCount: count - advertisementCount(of: radio),
            features: record.configuration.features
        )
    }

    func has(_ feature: RadioCapabilities.Features, _ radio: PeerID) -> Bool {
        radios[radio]?.configuration.features.contains(feature) == true
    }

    func state(of radio: PeerID) -> RadioState { radios[radio]?.state ?? .absent }

    func isOn(_ radio: PeerID) -> Bool { state(of: radio) == .on }

    /// The signal strength; `nil` when they don't receive each other.
    func strength(on route: Route) -> RSSI? {
        guard isOn(route.from), isOn(route.to) else { return nil }
        return strengths[Pair(route.from, route.to)] ?? RSSI(-50)
    }

    /// - Throws: ``RadioError``, `CancellationError`.
    func checkUsable(_ radio: PeerID) throws {
        try Task.checkCancellation()
        if let reason = radios[radio]?.unusableReason { throw reason }
    }

    func states(of radio: PeerID) -> AsyncStream<RadioState> {
        let (states, watcher) = AsyncStream.makeStream(
            of: RadioState.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        watcher.yield(state(of: radio))
        guard radios[radio]?.isClosed == false else {
            watcher.finish()
            return states
        }
        let number = nextNumber()
        radios[radio]?.watchers[number] = watcher
        // In a task, since the consumer may be anywhere when it drops the stream.
        watcher.onTermination = { [weak self] _ in
            Task { await self?.removeWatcher(number, of: radio) }
        }
        return states
    }

    private func removeWatcher(_ number: Int, of radio: PeerID) {
        radios[radio]?.watchers[number] = nil
    }

    func makeUsable(_ radio: PeerID) {
        guard radios[radio]?.isClosed == false else { return }
        changeState(of: radio, nil)
        for (number, advertisement) in advertisements.ordered where advertisement.radio == radio {
            send(advertisement: number)
        }
    }

    func makeUnusable(_ radio: PeerID, _ error: RadioError) {
        guard radios[radio]?.isClosed == false else { return }
        changeState(of: radio, error)
    }

    func close(_ radio: PeerID) {
        guard radios[radio]?.isClosed == false else { return }
        radios[radio]?.isClosed = true
        changeState(of: radio, RadioError(.absent, "the radio \(radio) was closed"))
        for (_, watcher) in radios[radio]?.watchers.ordered ?? [] { watcher.finish() }
        radios[radio]?.watchers = [:]
    }

    private func changeState(of radio: PeerID, _ reason: RadioError?) {
        let before = state(of: radio)
        radios[radio]?.unusableReason = reason
        let state = state(of: radio)
        if state != before {
            for (_, watcher) in radios[radio]?.watchers.ordered ?? [] { watcher.yield(state) }
        }
        if let reason { endAll(of: radio, reason) }
        steerAdvertising()
    }

    private func endAll(of radio: PeerID, _ reason: RadioError) {
        // What the program ends with the radio ends without an error.
        let error = radios[radio]?.isClosed == true ? nil : reason
        for (_, scan) in radios[radio]?.scans.ordered ?? [] { scan.events.finish(throwing: error) }
        radios[radio]?.scans = [:]
        for peer in peers {
            let route = Route(from: radio, to: peer)
            failAttempt(on: route, reason)
            finishEnding(on: route, .failure(reason))
            let lost = RadioError(.peerGone, "the connection to \(radio) was lost")
            endConnection(at: route, error, forPeer: lost)
        }
        let isKept = radios[radio]?.configuration.keepsPublicationsWhenOff == true
        if reason.code == .off, isKept { return }
        if reason.code != .off {
            radios[radio]?.known = []
            radios[radio]?.sightings = [:]
        }
        for (number, publication) in publications.ordered where publication.radio == radio {
            endPublication(number, error)
        }
        for (number, advertisement) in advertisements.ordered where advertisement.radio == radio {
            endAdvertisement(number, error)
        }
    }

    // MARK: - Levers

    func setReplies(_ replies: Bool, by radio: PeerID) {
        radios[radio]?.repliesToRequests = replies
    }

    func setConfirmations(_ confirms: Bool, by radio: PeerID) {
        radios[radio]?.confirmsIndications = confirms
    }

    func setDisconnectingTime(
        _ duration: Duration,
        endingAfter delay: Duration,
        of radio: PeerID
    ) {
        radios[radio]?.disconnectingTime = duration
        radios[radio]?.endingTime = delay
    }
}
