internal import BLE
internal import BLESession
internal import Logging

// Being heard: the service is published, and again after the radio or the system has lost it.
extension RelayNode {
    /// Until cancelled.
    func keepServing(within limit: Duration?) async {
        var last: RelayError?
        do {
            try await waitForRadio(limit)
            try await serve()
        } catch {
            guard !(error is CancellationError) else { return await becomeUnready(nil) }
            let failure = RelayError("publishing the node", failedWith: error)
            await becomeUnready(failure)
            // Whoever starts it is told; it is not tried again.
            guard starting == nil else { return failStart(failure) }
            last = failure
        }
        while !Task.isCancelled {
            do {
                try await clock.sleep(for: timeouts.retry)
                guard try await radioSession.waitUntilOn(for: nil) else {
                    // It does not come back to this process.
                    let what = "the radio was closed for good"
                    return endServing(
                        because: RelayError(.bluetoothAbsent, what, underlying: last)
                    )
                }
                try await serve()
            } catch is CancellationError {
                return await becomeUnready(nil)
            } catch {
                let failure = RelayError("publishing the node", failedWith: error)
                let isNews = isReady || failure.code != last?.code
                await becomeUnready(isNews ? failure : nil)
                last = failure
            }
        }
    }

    private func waitForRadio(_ limit: Duration?) async throws {
        try await radioSession.waitUntilOn(for: limit)
        let state = await radio.state
        guard state == .on else { throw Self.error(state) }
    }

    private static func error(_ state: RadioState) -> RelayError {
        state == .off
            ? RelayError(.bluetoothOff, "Bluetooth is off")
            : RelayError(.bluetoothAbsent, "Bluetooth is not there")
    }

    private func failStart(_ failure: RelayError) {
        starting?.fail(failure)
        starting = nil
    }

    /// Publishes the service and looks for neighbours, until one of the two ends.
    private func serve() async throws {
        let features = await radio.capabilities.features
        let isIndividual = features.isSuperset(of: [.individualNotifications, .namedSubscribers])
        lastPublicationNumber += 1
        let number = lastPublicationNumber
        let published = PublishedRelay(number: number, isIndividual: isIndividual)
        publication = published
        let made = try await withTimeLimit(timeouts.radio, on: clock) { [radio, localName] in
            try await radio.publish(
                RelayService.description,
                advertising: Advertisement(
                    localName: localName,
                    serviceUUIDs: [RelayService.uuid]
                ),
                options: isIndividual ? .individualNotifications : [],
                responder: RelayResponder(self, number)
            )
        }
        guard let made else {
            throw RelayError(.timedOut, "publishing took longer than \(timeouts.radio.inUnits)")
        }
        publication?.publication = made
        // Whoever has subscribed, as far as is known.
        if !isIndividual { handle(.joined(.everybody)) }
        isReady = true
        starting?.fulfil()
        starting = nil
        report(.becameReady)
        let tasks = [
            executor.task(of: self) { await $0.sendOutgoing(of: published, over: made) },
            executor.task(of: self) { await $0.watchRadio(published.end) },
            executor.task(of: self) { await $0.keepSearching() },
            executor.task(of: self) { await $0.forgetUnseen() },
        ]
        defer { for task in tasks { task.cancel() } }
        try await published.end.wait()
    }

    /// Ends the publication when the radio is off.
    private func watchRadio(_ end: Promise<Void>) async {
        for await state in await radio.states() where state != .on {
            guard !Task.isCancelled else { return }
            end.fail(Self.error(state))
        }
    }

    /// Has no publication any more, nor neighbours.
    private func becomeUnready(_ failure: RelayError?) async {
        let ended = publication
        publication = nil
        ended?.finish()
        handle(.left(.everybody))
        for (peer, record) in peers {
            if record.neighbour.isHeard { setHeard(false, peer, failure) }
            forget(peer)
        }
        if isReady {
            isReady = false
            report(.becameUnready(failure ?? RelayError(.notReady, "it was stopped")))
        } else if let failure {
            report(.becameUnready(failure))
        }
        // Also when this task has been cancelled.
        await Task { await ended?.publication?.withdraw() }.value
    }

    // MARK: - Sending

    private func sendOutgoing(
        of published: PublishedRelay,
        over publication: any Publication
    ) async {
        for await outgoing in published.outgoing {
            do {
                try await send(outgoing, over: publication, published.isIndividual)
            } catch is CancellationError {
                return
            } catch {
                // Who missed it may get it from another neighbour, or when they come again.
                unsent[.failed, default: 0] += 1
                logger.info("sending packet \(outgoing.packet.packet.id) failed: \(error)")
            }
        }
    }

    /// Sends a packet to some; to all when they can't be notified alone, which the others can tell.
    private func send(
        _ outgoing: PublishedRelay.Outgoing,
        over publication: any Publication,
        _ isIndividual: Bool
    ) async throws {
        guard isIndividual else { return try await sendToAll(outgoing.packet, over: publication) }
        // A packet counts once, however many miss it.
        var reasons: Set<RelayCounters.UnsentReason> = []
        defer { for reason in reasons { unsent[reason, default: 0] += 1 } }
        for neighbour in outgoing.neighbours {
            guard let peer = peers.first(where: { $0.value.number == neighbour })?.key else {
                continue
            }
            let room = await publication.mtuBytes(of: peer).map { $0 - 3 }
            let bytes = outgoing.packet.bytes(
                for: generation,
                upTo: room ?? Self.leastNotificationByteCount
            )
            if let room, bytes.count > room {
                // What is cut off nobody could read.
                reasons.insert(.tooLong)
                logger.notice(
                    "a packet of \(bytes.count) bytes does not fit \(peer), which takes \(room)"
                )
                continue
            }
            do {
                try await notify(bytes, to: peer, over: publication)
            } catch let error as RadioError where error.code == .peerGone {
                // bluetoothd ends the connections of all when one central leaves.
                reasons = []
                return try await sendToAll(outgoing.packet, over: publication)
            } catch let error where !(error is CancellationError) {
                // The others get it all the same.
                reasons.insert(.failed)
                logger.info(
                    "sending packet \(outgoing.packet.packet.id) to \(peer) failed: \(error)"
                )
            }
        }
    }

    /// Sends a packet to one neighbour; one that takes nothing is disconnected, as the others would wait for it.
    private func notify(
        _ bytes: [UInt8],
        to peer: PeerID,
        over publication: any Publication
    ) async throws {
        let isSent: Void? = try await withTimeLimit(timeouts.radio, on: clock) {
            try await publication.notify(bytes, to: peer, of: RelayService.packets)
        }
        guard isSent == nil else { return }
        try await publication.disconnect(peer)
        throw RelayError(
            .timedOut,
            "it took nothing for \(timeouts.radio.inUnits), and is disconnected"
        )
    }

    private func sendToAll(
        _ packet: WirePacket,
        over publication: any Publication
    ) async throws {
        let room = await smallestNotificationByteCount(ofNobody: RelayPacket.maximumByteCount)
        let bytes = packet.bytes(for: generation, upTo: room)
        if bytes.count > room {
            // Who has room gets it whole: else anybody near with less could keep it from all.
            unsent[.tooLong, default: 0] += 1
            logger.notice("a packet of \(bytes.count) bytes is cut where only \(room) fit")
        }
        let isSent: Void? = try await withTimeLimit(timeouts.radio, on: clock) {
            try await publication.update(RelayService.packets, to: bytes)
        }
        guard isSent != nil else {
            throw RelayError(.timedOut, "sending to all took longer than \(timeouts.radio.inUnits)")
        }
    }

    /// What a notification carries to each neighbour that can take part, as phones do; for who takes less, or does not say how
    /// much, what all are sent does not become shorter, or anybody near could keep all messages from being sent.
    ///
    /// Source: Docs/Wire.md, dIM: an MTU of 185.
    static let leastNotificationByteCount = 182

    /// What a notification carries to the neighbour with the least room, but no less than to a phone.
    ///
    /// - Parameter byteCount: what is assumed while nobody is there: whoever comes next may be a phone.
    /// - Returns: how many bytes.
    func smallestNotificationByteCount(
        ofNobody byteCount: Int = RelayNode.leastNotificationByteCount
    ) async -> Int {
        let mtuBytes = await publication?.publication?.smallestMTUBytes(of: RelayService.packets)
        let room = mtuBytes.map { $0 - 3 } ?? (hasSubscribers ? 0 : byteCount)
        return min(max(room, Self.leastNotificationByteCount), RelayPacket.maximumByteCount)
    }

    /// Whether somebody gets what this node sends, or may, where the system does not tell.
    private var hasSubscribers: Bool {
        peers.values.contains { $0.neighbour.hears == true }
            || publication?.subscribing.isEmpty == false
    }

    // MARK: - What comes of the publication

    func didPublish(_ publication: any Publication, _ number: Int) {
        if self.publication?.number == number { self.publication?.publication = publication }
    }

    func handle(_ event: PublicationEvent, of number: Int) {
        guard let publication, publication.number == number else { return }
        switch event {
        case .connected(let peer):
            guard !publication.isIndividual else { break }
            setHears(nil, peer)
            awaitSubscription(of: peer)
        case .subscribed(_, let peer?): setHears(true, peer)
        case .unsubscribed(_, let peer?): setHears(false, peer)
        case .disconnected(let peer):
            self.publication?.subscribing.removeValue(forKey: peer)?.cancel()
            setHears(false, peer)
        // What was lost, its sender sends again until it has the receipt.
        // It is sent what all are sent.
        case .unsubscribed(_, nil), .individualNotificationsEnded, .mtuChanged, .lostWrites: break
        case .subscribed(_, nil):
            // The first of all; of later ones nothing is told.
            if !publication.isIndividual { sendKept() }
        case .ended(let error): publication.end.fail(error)
        }
    }

    /// Sends what is kept while a neighbour that has connected may subscribe, as nothing tells that it has.
    private func awaitSubscription(of peer: PeerID) {
        publication?.subscribing[peer]?.cancel()
        publication?.subscribing[peer] = executor.task(of: self) { [timeouts] node in
            for pause in timeouts.subscriptionPauses {
                guard await node.isNeeded(after: pause) else { return }
                node.sendKept()
            }
        }
    }

    /// Sends what is kept to all, one of whom may be new, but not more often than it may be; the others know it.
    private func sendKept() {
        guard publication != nil, replaying == nil else { return }
        let wait = lastReplay.map { $0 + timeouts.replay - elapsed() } ?? .zero
        guard wait <= .zero else {
            // For whom it was may have come to another publication by then.
            replaying = executor.task(of: self) { node in
                guard await node.isNeeded(after: wait) else { return }
                node.replaying = nil
                node.sendKept()
            }
            return
        }
        lastReplay = elapsed()
        handle(.left(.everybody))
        handle(.joined(.everybody))
    }

    /// Takes what a central has written.
    func receive(_ value: [UInt8], from central: PeerID) {
        guard let number = remember(central)?.number else { return }
        receive(value, from: central, number)
    }

    /// Takes what a neighbour has sent, and tells of it when it is sent on.
    func receive(_ value: [UInt8], from peer: PeerID, _ number: NeighbourID) {
        peers[peer]?.lastReceived = elapsed()
        guard let packet = try? WirePacket(value) else {
            return handle(.received(value, from: number))
        }
        let count = router.counters.relayed
        handle(.receivedPacket(packet, from: number))
        if router.counters.relayed > count { report(.relayed(packet.packet.id, from: peer)) }
    }

    /// A neighbour is sent what is kept; one that was a moment ago, as soon as it may be again.
    private func join(_ peer: PeerID) {
        guard let record = peers[peer], record.neighbour.hears == true else { return }
        let wait = record.lastReplay.map { $0 + timeouts.replay - elapsed() } ?? .zero
        guard wait > .zero else {
            peers[peer]?.lastReplay = elapsed()
            return handle(.joined(record.number))
        }
        guard record.replaying == nil else { return }
        peers[peer]?.replaying = executor.task(of: self) { node in
            guard await node.isNeeded(after: wait) else { return }
            node.peers[peer]?.replaying = nil
            node.join(peer)
        }
    }

    private func setHears(_ hears: Bool?, _ peer: PeerID) {
        guard let record = remember(peer), record.neighbour.hears != hears else { return }
        peers[peer]?.neighbour.hears = hears
        if publication?.isIndividual == true {
            hears == true ? join(peer) : handle(.left(record.number))
        }
        if let neighbour = peers[peer]?.neighbour { report(.changed(neighbour)) }
    }
}

extension RelayNode {
    /// As much of the name as an advertisement has room for.
    fileprivate nonisolated var localName: String {
        var name = advertisedName ?? address.text
        while name.utf8.count > Advertisement.maximumNameByteCount { name.removeLast() }
        return name
    }
}
