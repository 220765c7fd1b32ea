internal import BLE

// Links: made for a question, kept until one end has enough.
extension EightBallCentral {
    /// The link to a ball, made for a question if there is none.
    func link(to peer: PeerID, for number: Int) async throws -> any Link {
        if let link = records[peer]?.link { return link }
        let link = try await radio.connect(to: peer) {
            await self.didLink(number, to: peer)
        }
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

    private func didLink(_ number: Int, to peer: PeerID) {
        advance(number, of: peer) { $0.linked() }
    }

    /// Ends a ball's questions and its link here, and tells so.
    ///
    /// - Returns: the link, to be disconnected; `nil` if there was none.
    func release(_ peer: PeerID, because failure: EightBallError) -> (any Link)? {
        guard let record = records[peer] else { return nil }
        if let next = record.next {
            records[peer]?.next = nil
            tell(.failure(failure), of: next, to: record.ball)
        }
        if let asking = record.asking {
            advance(asking.id, of: peer) { $0.abandon(failure) }
        }
        let link = dropLink(to: peer, because: nil)
        if let asking = records[peer]?.asking {
            advance(asking.id, of: peer) { $0.lost(failure) }
        }
        return link
    }

    /// Ends a question and the link to its ball.
    func reject(_ peer: PeerID, because reason: RejectionReason) async {
        guard let ball = records[peer]?.ball else { return }
        let failure = EightBallError(
            .rejected(reason),
            "the link to '\(ball.name)' was ended here: \(reason)"
        )
        if let link = release(peer, because: failure) { await disconnect(link) }
    }

    /// Has no link to a ball any more, and tells so.
    ///
    /// - Returns: the link that was dropped; `nil` if there was none.
    @discardableResult
    func dropLink(to peer: PeerID, because failure: EightBallError?) -> (any Link)? {
        guard let record = records[peer], let link = record.link else { return nil }
        record.linkEvents?.cancel()
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
