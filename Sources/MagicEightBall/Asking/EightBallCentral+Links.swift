internal import BLE
internal import BLESession

// Links: made for a question, or to be held; kept until either end has no more use for them.
extension EightBallCentral: LinkOwner {
    /// The link to a ball, made for a question if there is none.
    func link(to peer: PeerID, for number: Int) async throws -> any Link {
        if let link = links[peer], !links.isGivingWay(peer) { return link }
        return try await makeLink(to: peer) { advance(number, of: peer) { $0.linked() } }
    }

    /// Makes the link to a ball.
    ///
    /// - Parameters:
    ///   - peer: the ball.
    ///   - didConnect: called when its services are to be discovered.
    /// - Returns: the link.
    /// - Throws: what the radio throws; `CancellationError`.
    @discardableResult
    func makeLink(to peer: PeerID, didConnect: () -> Void) async throws -> any Link {
        let (link, manner) = try await prepareLink(
            to: peer,
            where: EightBallService.takesQuestions,
            didConnect: didConnect
        ) { ($0, BallRecord.QuestionManner($1)) }
        guard !Task.isCancelled, let ball = records[peer]?.ball else {
            // Whoever needed it has given up while it came about.
            await disconnect(link)
            throw CancellationError()
        }
        links.add(link)
        records[peer]?.manner = manner
        records[peer]?.linkEvents = executor.task(of: self) { central in
            for await event in link.events {
                guard !Task.isCancelled else { return }
                await central.handle(event, from: peer)
            }
        }
        report(.connected(ball))
        endConnecting(to: peer, because: nil)
        return link
    }

    /// A question or a connection has ended: without another one the link is kept for a while.
    func didBecomeIdle(_ peer: PeerID) {
        guard let record = records[peer], record.asking == nil, record.connecting == nil else {
            return
        }
        if links[peer] == nil, record.isForgotten { return remove(peer) }
        guard record.waiting.isEmpty else { return }
        guard links[peer] != nil else {
            // An attempt has failed: how it was to be kept is not so for the next link.
            links.remove(peer)
            return
        }
        endUse(of: peer)
    }

    /// An idle link is to be ended.
    func removeIdleLink(to peer: PeerID) -> (any Link)? {
        let link = dropLink(to: peer, because: nil)
        if records[peer]?.isForgotten == true { remove(peer) }
        return link
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
        endConnecting(to: peer, because: failure)
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
        links.release(peer)
        let link = endQuestionsAndLink(of: peer, because: failure, linkFailure: failure)
        if let link { await disconnect(link) }
    }

    /// Has no link to a ball any more, and reports it.
    ///
    /// - Returns: the link that was dropped; `nil` if there was none.
    @discardableResult
    func dropLink(to peer: PeerID, because failure: EightBallError?) -> (any Link)? {
        guard let record = records[peer], let link = links.remove(peer) else { return nil }
        record.linkEvents?.cancel()
        records[peer]?.linkEvents = nil
        records[peer]?.manner = nil
        if let failure, record.unfinishedCount == 0 { records[peer]?.error = failure }
        report(.disconnected(record.ball, failure))
        return link
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
                "'\(record.ball.name)' withdrew its service; it no longer answers"
            )
            let link = links[peer]
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
