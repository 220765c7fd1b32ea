internal import BLE
internal import BLESession

// Finding others.
extension Messenger {
    /// Every strength.
    private static let window = RSSI(-127)...RSSI(20)

    /// Who is nearby, in the order of discovery.
    public var nearby: [NearbyChatter] {
        nearbyOrder.compactMap { records[$0]?.chatter }
    }

    /// Looks for others from now on, and forgets who was nearby before.
    ///
    /// Whoever advertises the service and a name is reported once as discovered, then with each change, until not seen for
    /// ``ChatTimeouts/loss``. It goes on when the radio was off, until ``stopSearching()``.
    public func search() {
        isSearchWanted = true
        beginSearch()
    }

    private func beginSearch() {
        endSearch()
        for peer in nearbyOrder { lose(peer) }
        searching = executor.task(of: self) { await $0.keepSearching() }
        aging = executor.task(of: self) { await $0.loseUnseen() }
    }

    /// Looks for others no longer, unless ``find(named:within:)`` still does; who is known to be nearby stays so.
    public func stopSearching() {
        isSearchWanted = false
        endSearchUnlessNeeded()
    }

    private func endSearchUnlessNeeded() {
        if !isSearchWanted, findingCount == 0 { endSearch() }
    }

    /// Ends the search, also while somebody waits for what it finds.
    func endSearch() {
        searching?.cancel()
        searching = nil
        aging?.cancel()
        aging = nil
    }

    /// Looks for somebody until found.
    ///
    /// - Parameters:
    ///   - name: the name, whole or as it is advertised.
    ///   - limit: how long to look.
    /// - Returns: the first of that name.
    /// - Throws: ``ChatError`` with ``ChatError/Code/notFound``; `CancellationError`.
    public func find(
        named name: String,
        within limit: Duration = .seconds(10)
    ) async throws -> NearbyChatter {
        let events = events
        // Another name than one of ours can be looked for all the same.
        let cut = (try? ChatName(name))?.advertised
        let known = nearby.first { $0.name == name || $0.name == cut }
        if let known { return known }
        findingCount += 1
        defer {
            findingCount -= 1
            endSearchUnlessNeeded()
        }
        if searching == nil { beginSearch() }
        let found = try await withTimeLimit(limit, on: clock) {
            for await event in events {
                switch event {
                case .discovered(let chatter) where chatter.name == name || chatter.name == cut,
                    .changed(let chatter) where chatter.name == name || chatter.name == cut:
                    return chatter
                default: continue
                }
            }
            throw CancellationError()
        }
        guard let found else {
            let others = nearby.map { "'\($0.name)'" }.joined(separator: ", ")
            throw ChatError(
                .notFound,
                "nobody of the name '\(name)' was found within \(limit.inUnits)"
                    + (others.isEmpty ? "" : "; nearby: \(others)")
            )
        }
        return found
    }

    private func keepSearching() async {
        var last: ChatError?
        while !Task.isCancelled {
            do {
                guard try await radioSession.waitUntilOn(for: nil) else {
                    if last?.code != .bluetoothAbsent {
                        report(.searchInterrupted(Self.closed(last)))
                    }
                    return
                }
                let events = try await withTimeLimit(timeouts.radio, on: clock) { [radio] in
                    try await radio.scan(ScanFilter(service: ChatService.uuid))
                }
                guard let events else {
                    throw ChatError(
                        .timedOut,
                        "scanning took longer than \(timeouts.radio.inUnits)"
                    )
                }
                for try await event in events where !Task.isCancelled {
                    last = nil
                    handle(event)
                }
            } catch is CancellationError {
                return
            } catch {
                let failure = ChatError("looking for others", failedWith: error)
                if failure.code != last?.code { report(.searchInterrupted(failure)) }
                last = failure
            }
            try? await clock.sleep(for: timeouts.retry)
        }
    }

    private func handle(_ event: ScanEvent) {
        switch event {
        case .lost(let peer): lose(peer)
        case .seen(let sighting) where records[sighting.peer] == nil:
            // Who has no name yet may have one in the next packet.
            guard !sighting.name.isEmpty, makeRoom() else { return }
            let record = NearbyRecord(
                name: sighting.name,
                presence: Presence(sighting.rssi ?? RSSI(-127), window: Self.window, at: .now),
                id: sighting.peer
            )
            records[sighting.peer] = record
            nearbyOrder.append(sighting.peer)
            report(.discovered(record.chatter))
        case .seen(let sighting):
            guard var record = records[sighting.peer] else { return }
            let hasMoved = record.presence.update(sighting.rssi, window: Self.window, at: .now)
            let isRenamed = !sighting.name.isEmpty && sighting.name != record.name
            if isRenamed { record.name = sighting.name }
            records[sighting.peer] = record
            if hasMoved || isRenamed { report(.changed(record.chatter)) }
        }
    }

    private func makeRoom() -> Bool {
        guard nearbyOrder.count >= Self.maximumNearbyCount else { return true }
        let oldest = records.values.min { $0.presence.lastSeen < $1.presence.lastSeen }
        if let oldest { lose(oldest.id) }
        return nearbyOrder.count < Self.maximumNearbyCount
    }

    private func lose(_ peer: PeerID) {
        guard let record = records.removeValue(forKey: peer) else { return }
        nearbyOrder.removeAll { $0 == peer }
        report(.lost(record.chatter))
    }

    /// Loses who was not seen for long, until cancelled; whoever chats does not advertise.
    private func loseUnseen() async {
        while (try? await clock.sleep(for: Presence.period(of: timeouts.loss))) != nil {
            let isBusy = calling != nil
            for peer in nearbyOrder {
                if isBusy || chatting?.chat.peer == peer {
                    records[peer]?.presence.resetPeriods()
                } else if records[peer]?.presence.endPeriod() == true {
                    lose(peer)
                }
            }
        }
    }
}
