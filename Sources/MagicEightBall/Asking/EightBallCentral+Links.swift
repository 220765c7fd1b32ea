internal import BLE

// Links: made for a question, kept until one end has enough.
extension EightBallCentral {
    /// The link to a ball, made for a question if there is none.
    func link(to peer: PeerID, for number: Int) async throws -> any Link {
        if let link = records[peer]?.link { return link }
        let link = try await connect(to: peer, for: number)
        guard !Task.isCancelled, let ball = records[peer]?.ball else {
            // The question was given up while the link came about.
            await disconnect(link)
            throw CancellationError()
        }
        records[peer]?.link = link
        records[peer]?.linkEvents = Task {
            for await event in link.events {
                guard !Task.isCancelled else { return }
                await handle(event, from: peer)
            }
        }
        observers.tell { await $0.central(self, didConnect: ball) }
        return link
    }

    /// Connects; as long as the controller has no more links, gives idle ones back.
    private func connect(to peer: PeerID, for number: Int) async throws -> any Link {
        while true {
            do {
                return try await radio.connect(to: peer) {
                    await self.didLink(number, to: peer)
                }
            } catch let error as RadioError where error.code == .limitReached {
                let idle = records.values.filter(\.isIdle).min { $0.idleNumber < $1.idleNumber }
                guard let idle else { throw error }
                await giveBack(idle)
                try Task.checkCancellation()
            }
        }
    }

    /// Ends a link that nobody uses, and waits for that, or until cancelled.
    private func giveBack(_ idle: BallRecord) async {
        guard let link = idle.link else { return }
        let (ending, ended) = AsyncStream.makeStream(of: Never.self)
        records[idle.ball.id]?.linkEnds.append(ended)
        await disconnect(link)
        for await _ in ending {}
    }

    /// A question has been cleared up: without another one the link is kept for a while.
    func didBecomeIdle(_ peer: PeerID) {
        guard let record = records[peer], record.asking == nil else { return }
        if record.link == nil, record.isForgotten { return forget(peer) }
        guard record.isIdle else { return }
        let number = nextNumber()
        records[peer]?.idleNumber = number
        records[peer]?.cooling = Task {
            // Ends early only when cancelled: by the next question, or with the link.
            guard (try? await clock.sleep(for: timeouts.idleLink)) != nil else { return }
            await coolDown(peer, number)
        }
    }

    private func coolDown(_ peer: PeerID, _ number: Int) async {
        guard let record = records[peer], record.isIdle, record.idleNumber == number,
            let link = dropLink(to: peer, because: nil)
        else { return }
        if record.isForgotten { forget(peer) }
        await disconnect(link)
    }

    private func didLink(_ number: Int, to peer: PeerID) {
        advance(number, of: peer) { $0.linked() }
    }

    /// Ends a ball's questions and its link here, and tells so: of the link with a reason, if there
    /// is one to tell.
    ///
    /// - Returns: the link, to be disconnected; `nil` if there was none.
    func release(
        _ peer: PeerID,
        because failure: EightBallError,
        told: EightBallError? = nil
    ) -> (any Link)? {
        guard let record = records[peer] else { return nil }
        takeBackWaiting(of: peer, because: failure)
        if let asking = record.asking {
            advance(asking.id, of: peer) { $0.abandon(failure) }
        }
        let link = dropLink(to: peer, because: told)
        if let asking = records[peer]?.asking {
            advance(asking.id, of: peer) { $0.lost(failure) }
        }
        return link
    }

    /// Ends a ball's questions and the link to it, for a reason that is told.
    func reject(_ peer: PeerID, because reason: RejectionReason) async {
        guard let ball = records[peer]?.ball else { return }
        let failure = EightBallError(
            .rejected(reason),
            "the link to '\(ball.name)' was ended here: \(reason)"
        )
        if let link = release(peer, because: failure, told: failure) { await disconnect(link) }
    }

    /// Has no link to a ball any more, and tells so.
    ///
    /// - Returns: the link that was dropped; `nil` if there was none.
    @discardableResult
    func dropLink(to peer: PeerID, because failure: EightBallError?) -> (any Link)? {
        guard let record = records[peer], let link = record.link else { return nil }
        record.linkEvents?.cancel()
        record.cooling?.cancel()
        for end in record.linkEnds { end.finish() }
        records[peer]?.linkEnds = []
        records[peer]?.linkEvents = nil
        records[peer]?.link = nil
        observers.tell {
            await $0.central(self, didDisconnect: record.ball, because: failure)
        }
        return link
    }

    /// Hands the end of a link to the system, also when who calls has been cancelled.
    func disconnect(_ link: any Link) async {
        await Task { await link.disconnect() }.value
    }

    private func handle(_ event: LinkEvent, from peer: PeerID) async {
        guard let record = records[peer] else { return }
        switch event {
        case .notification(let attribute, let value):
            guard let asking = record.asking else { return }
            advance(asking.id, of: peer) { $0.notified(value, of: attribute) }
        case .servicesInvalidated(let services):
            guard services.contains(EightBallService.uuid) else { return }
            let failure = EightBallError(
                .deviceOffline,
                "'\(record.ball.name)' took back its service; it no longer answers"
            )
            lose(record, because: failure, told: failure)
            if let link = record.link { await disconnect(link) }
        case .disconnected(let cause):
            let message = "the link to '\(record.ball.name)' ended"
            let failure = EightBallError(
                .deviceOffline,
                cause.map { "\(message): \($0.message)" } ?? message,
                underlying: cause
            )
            lose(record, because: failure, told: cause == nil ? nil : failure)
        }
    }

    private func lose(
        _ record: BallRecord,
        because failure: EightBallError,
        told: EightBallError?
    ) {
        let peer = record.ball.id
        dropLink(to: peer, because: told)
        if let asking = record.asking {
            advance(asking.id, of: peer) { $0.lost(failure) }
        } else if record.isForgotten {
            forget(peer)
        }
    }
}
