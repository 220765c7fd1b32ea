internal import BLE
internal import BLESession
internal import Logging

// Hearing others: whoever advertises the service is connected to.
extension RelayNode: LinkOwner {
    func keepSearching() async {
        var failureCount = 0
        while !Task.isCancelled {
            do {
                let events = try await withTimeLimit(timeouts.radio, on: clock) { [radio] in
                    try await radio.scan(ScanFilter(service: RelayService.uuid))
                }
                guard let events else {
                    let what = "the radio did not begin within \(timeouts.radio.inUnits)"
                    throw RelayError(.timedOut, what)
                }
                failureCount = 0
                for try await event in events where !Task.isCancelled {
                    switch event {
                    case .seen(let sighting): take(sighting)
                    case .lost(let peer): peers[peer]?.isKnown = false
                    }
                }
            } catch is CancellationError {
                return
            } catch {
                // With the radio the publication ends, too, and that is told.
                if failureCount == 0 { logger.info("looking for neighbours failed: \(error)") }
                failureCount += 1
            }
            let pause = timeouts.retryPause(after: failureCount, upTo: timeouts.longestRetry)
            try? await clock.sleep(for: pause)
        }
    }

    private func take(_ sighting: Sighting) {
        guard let known = remember(sighting.peer) else { return }
        peers[sighting.peer]?.lastSeen = elapsed()
        peers[sighting.peer]?.isKnown = true
        var neighbour = known.neighbour
        if !sighting.name.isEmpty { neighbour.name = sighting.name }
        neighbour.rssi = sighting.rssi ?? neighbour.rssi
        peers[sighting.peer]?.neighbour = neighbour
        if neighbour.name != known.neighbour.name { report(.changed(neighbour)) }
        connectIfNeeded(sighting.peer)
    }

    /// A device nearby; in place of one that would not be missed, when there are too many.
    func remember(_ peer: PeerID) -> PeerRecord? {
        if let record = peers[peer] { return record }
        if peers.count >= Self.maximumPeerCount {
            let idle = peers.filter(\.value.isIdle).min { $0.value.lastSeen < $1.value.lastSeen }
            guard let idle else { return nil }
            forget(idle.key)
        }
        lastNeighbour += 1
        let record = PeerRecord(
            neighbour: RelayNeighbour(id: peer, name: "", rssi: nil, isHeard: false, hears: nil),
            number: NeighbourID(lastNeighbour),
            lastSeen: elapsed()
        )
        peers[peer] = record
        return record
    }

    func forget(_ peer: PeerID) {
        guard let record = peers.removeValue(forKey: peer) else { return }
        record.cancel()
        links.remove(peer)
        handle(.left(record.number))
    }

    /// Forgets who was not seen for long, until cancelled; who is connected does not have to be seen.
    func forgetUnseen() async {
        while await isNeeded(after: timeouts.loss) {
            for (peer, record) in peers
            where record.isIdle && !isThere(peer) && !isCounted(record) { forget(peer) }
        }
    }

    /// Whether a device is taken to be there still.
    ///
    /// It may be without being seen again: bluetoothd reports a device once, as long as nothing of it changes.
    private func isThere(_ peer: PeerID) -> Bool {
        guard let record = peers[peer] else { return false }
        // It has connected, and may have subscribed.
        if publication?.subscribing[peer] != nil { return true }
        let limit = record.isKnown ? max(timeouts.loss, timeouts.longestLoss) : timeouts.loss
        return elapsed() - record.lastSeen <= limit
    }

    /// Whether a device has sent something that may count as one of too many: were it forgotten, it could send as many again.
    private func isCounted(_ record: PeerRecord) -> Bool {
        record.lastReceived.map { elapsed() - $0 < rateTime } ?? false
    }

    // MARK: - Connections

    func connectIfNeeded(_ peer: PeerID) {
        guard isReady, let record = peers[peer], record.resting == nil,
            connecting[peer] == nil, links.hasRoom
        else { return }
        links.begin(peer)
        let number = record.number
        let connection = executor.task(of: self) { node in
            await node.hear(peer, number)
        }
        connecting[peer] = connection
        peers[peer]?.connection = connection
    }

    /// Connects to those who are there, the strongest first, as far as there is room.
    private func connectToSeen() {
        for neighbour in neighbours where neighbour.rssi != nil && isThere(neighbour.id) {
            connectIfNeeded(neighbour.id)
        }
    }

    /// Connects to a neighbour and takes what it says, until the connection ends; then it is left alone for a while.
    private func hear(_ peer: PeerID, _ number: NeighbourID) async {
        let pause: Duration
        defer {
            connecting[peer] = nil
            // Also the place of one that was forgotten before this task began.
            links.remove(peer)
            // It may have been forgotten meanwhile, and seen again.
            if peers[peer]?.number != number { connectIfNeeded(peer) }
            // Others may have waited for its place.
            connectToSeen()
        }
        do {
            let link = try await connect(to: peer)
            guard peers[peer]?.number == number else { return await disconnect(link) }
            links.add(link)
            // What it sends is all the use that there is of it.
            endUse(of: peer)
            peers[peer]?.failureCount = 0
            peers[peer]?.wasNode = true
            setHeard(true, peer)
            let cause = await receive(over: link, number)
            guard peers[peer]?.number == number else { return }
            // It was there until now, seen or not.
            peers[peer]?.lastSeen = elapsed()
            setHeard(false, peer, cause)
            // Whoever got its place has it for a while.
            pause = links.isGivingWay(peer) ? timeouts.silence : timeouts.retry
        } catch {
            guard !Task.isCancelled else { return }
            let failure = RelayError("connecting to \(peer)", failedWith: error)
            logger.info("\(failure)")
            let count = (peers[peer]?.failureCount ?? 0) + 1
            peers[peer]?.failureCount = count
            // What was a node is one again when its program is back.
            let isOther = failure.code == .notANode && peers[peer]?.wasNode == false
            let longest = isOther ? timeouts.rest : timeouts.longestRetry
            pause = timeouts.retryPause(after: count, upTo: longest)
        }
        guard !Task.isCancelled, peers[peer]?.number == number else { return }
        peers[peer]?.connection = nil
        peers[peer]?.resting = executor.task(of: self) { [pause] node in
            guard await node.isNeeded(after: pause) else { return }
            node.endRest(of: peer)
        }
    }

    /// A neighbour is not left alone any longer.
    private func endRest(of peer: PeerID) {
        peers[peer]?.resting = nil
        if isThere(peer) { connectIfNeeded(peer) }
    }

    private func connect(to peer: PeerID) async throws -> any Link {
        let link = try await withTimeLimit(timeouts.connection, on: clock) {
            try await self.prepareLink(to: peer, where: RelayService.isNode) { link, services in
                guard RelayService.isNode(services) else {
                    throw RelayError(.notANode, "\(peer) has no packets to subscribe to")
                }
                try await link.subscribe(to: RelayService.packets)
                return link
            }
        }
        guard let link else {
            throw RelayError(
                .timedOut,
                "connecting to \(peer) took longer than \(timeouts.connection.inUnits)"
            )
        }
        return link
    }

    /// The connection to a neighbour gives way to another device's; ``receive(over:_:)`` ends with it.
    func removeIdleLink(to peer: PeerID) -> (any Link)? { links[peer] }

    /// What a neighbour says, until its connection ends or this task is cancelled.
    ///
    /// - Returns: why it ended; `nil` when this end has ended it.
    private func receive(over link: any Link, _ number: NeighbourID) async -> RelayError? {
        var cause: RelayError?
        events: for await event in link.events {
            switch event {
            case .notification(RelayService.packets, let bytes):
                endUse(of: link.peer)
                receive(bytes, from: link.peer, number)
            case .notification, .mtuChanged: break
            case .servicesInvalidated(let services):
                guard services.contains(RelayService.uuid) else { break }
                cause = RelayError(.connectionFailed, "\(link.peer) took its service back")
                break events
            case .disconnected(let error):
                return RelayError("the connection to \(link.peer)", failedWith: error)
            }
        }
        await Task { await link.disconnect() }.value
        return cause
    }

    func setHeard(_ isHeard: Bool, _ peer: PeerID, _ cause: RelayError? = nil) {
        guard var neighbour = peers[peer]?.neighbour else { return }
        neighbour.isHeard = isHeard
        peers[peer]?.neighbour = neighbour
        report(isHeard ? .connected(neighbour) : .disconnected(neighbour, cause))
    }
}

extension RelayError {
    /// Why a connection ended, unless this end has ended it.
    fileprivate init?(_ what: String, failedWith cause: RadioError?) {
        guard let cause else { return nil }
        self.init(what, failedWith: cause as any Error)
    }
}
