internal import BLE
internal import BLESession

// Links: made for a question, kept until either end has no more use for them.
extension EightBallCentral {
    /// The link to a ball, made for a question if there is none.
    func link(to peer: PeerID, for number: Int) async throws -> any Link {
        if let link = records[peer]?.link { return link }
        let link = try await makeLink(to: peer, for: number)
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
        report(.connected(ball))
        return link
    }

    /// Connects; as long as the controller has no more links, ends idle ones.
    private func makeLink(to peer: PeerID, for number: Int) async throws -> any Link {
        while true {
            do {
                let link = try await radio.connect(to: peer)
                advance(number, of: peer) { $0.linked() }
                return try await discoverServices(over: link)
            } catch let error as RadioError where error.code == .limitReached {
                let idle = records.values.filter(\.isIdle).min { $0.idleNumber < $1.idleNumber }
                guard let idle else { throw error }
                try await endIdleLink(of: idle)
                try Task.checkCancellation()
            }
        }
    }

    /// Discovers the services; a link whose services are not known is of no use.
    private func discoverServices(over link: any Link) async throws -> any Link {
        do {
            _ = try await link.discoverServices()
            return link
        } catch {
            // Nobody waits: it ends when the system has the request.
            Task { await link.disconnect() }
            throw error
        }
    }

    /// Ends a link that nobody uses, and waits until it has ended, or until cancelled.
    private func endIdleLink(of idle: BallRecord) async throws {
        guard let link = idle.link, let ending = records[idle.ball.id]?.linkEnds.add() else {
            return
        }
        await disconnect(link)
        for try await _ in ending {}
    }

    /// A question has ended: without another one the link is kept for a while.
    func didBecomeIdle(_ peer: PeerID) {
        guard let record = records[peer], record.asking == nil else { return }
        if record.link == nil, record.isForgotten { return remove(peer) }
        guard record.isIdle else { return }
        let number = nextNumber()
        records[peer]?.idleNumber = number
        records[peer]?.idleTimer = Task {
            // Ends early only when cancelled: by the next question, or with the link.
            guard (try? await clock.sleep(for: timeouts.idleLink)) != nil else { return }
            await idleTimedOut(peer, number)
        }
    }

    private func idleTimedOut(_ peer: PeerID, _ number: Int) async {
        guard let record = records[peer], record.isIdle, record.idleNumber == number,
            let link = dropLink(to: peer, because: nil)
        else { return }
        if record.isForgotten { remove(peer) }
        await disconnect(link)
    }

    /// Ends a ball's questions and its link from this side, and reports it.
    ///
    /// - Parameters:
    ///   - peer: the ball.
    ///   - failure: what the questions fail with.
    ///   - linkFailure: what is reported of the link.
    /// - Returns: the link, to be disconnected; `nil` if there was none.
    func endQuestionsAndLink(
        of peer: PeerID,
        because failure: EightBallError,
        linkFailure: EightBallError? = nil
    ) -> (any Link)? {
        guard let record = records[peer] else { return nil }
        failWaiting(of: peer, because: failure)
        if let asking = record.asking {
            advance(asking.id, of: peer) { $0.abandon(failure) }
        }
        let link = dropLink(to: peer, because: linkFailure)
        if let asking = records[peer]?.asking {
            advance(asking.id, of: peer) { $0.lost(failure) }
        }
        return link
    }

    /// Ends a ball's questions and the link to it, for a reason that observers are told.
    func reject(_ peer: PeerID, because reason: RejectionReason) async {
        guard let ball = records[peer]?.ball else { return }
        let failure = EightBallError(
            .rejected(reason),
            "the link to '\(ball.name)' was ended here: \(reason)"
        )
        let link = endQuestionsAndLink(of: peer, because: failure, linkFailure: failure)
        if let link { await disconnect(link) }
    }

    /// Has no link to a ball any more, and reports it.
    ///
    /// - Returns: the link that was dropped; `nil` if there was none.
    @discardableResult
    func dropLink(to peer: PeerID, because failure: EightBallError?) -> (any Link)? {
        guard let record = records[peer], let link = record.link else { return nil }
        record.linkEvents?.cancel()
        record.idleTimer?.cancel()
        records[peer]?.linkEnds.end()
        records[peer]?.linkEvents = nil
        records[peer]?.link = nil
        if let failure, record.unfinishedCount == 0 { records[peer]?.error = failure }
        report(.disconnected(record.ball, failure))
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
            let link = record.link
            linkEnded(record, because: failure, linkFailure: failure)
            // As the original's apps are told it, also between two questions.
            if record.unfinishedCount == 0 { report(.failed(failure)) }
            if let link { await disconnect(link) }
        case .mtuChanged:
            break
        case .disconnected(let cause):
            // A peer that has gone has no more to say; a radio or a service has.
            let reason = cause.flatMap { $0.code == .peerGone ? nil : ": \($0.message)" } ?? ""
            let failure = EightBallError(
                .deviceOffline,
                "the link to '\(record.ball.name)' was lost\(reason)",
                underlying: cause
            )
            linkEnded(record, because: failure, linkFailure: cause == nil ? nil : failure)
        }
    }

    private func linkEnded(
        _ record: BallRecord,
        because failure: EightBallError,
        linkFailure: EightBallError?
    ) {
        let peer = record.ball.id
        dropLink(to: peer, because: linkFailure)
        if let asking = record.asking {
            advance(asking.id, of: peer) { $0.lost(failure) }
        } else if record.isForgotten {
            remove(peer)
        }
    }
}
