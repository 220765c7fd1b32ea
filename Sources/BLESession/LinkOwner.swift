package import BLE

/// An actor on a radio's executor that makes links as a central, and keeps them in a pool.
package protocol LinkOwner: Actor {
    /// Its links.
    var links: LinkPool { get set }

    /// An idle link is to be ended.
    ///
    /// The owner removes it from the pool, and tells whoever is told of links: here, or when the link's end is reported.
    ///
    /// - Returns: the link; `nil` if there is none any longer.
    func removeIdleLink(to peer: PeerID) -> (any Link)?
}

extension LinkOwner {
    /// Makes the link to a peer, which is in use from then on: see ``BLE/CentralRadio/prepareLink(to:where:didConnect:_:)``.
    ///
    /// Where there is no room for it, in the pool or in the controller, the link that has been idle longest is ended first. A link to
    /// the same peer that is being ended so is waited for. While it is being made it counts as one of the pool's; whoever calls this
    /// adds it then, or removes it.
    ///
    /// - Throws: what the radio or the preparation throws; `RadioError` with `limitReached` where no link is idle, or for long enough;
    ///   `CancellationError`.
    package func prepareLink<Prepared>(
        to peer: PeerID,
        where hasNeeded: ([GATTService]) -> Bool,
        didConnect: () -> Void = {},
        _ prepare: (any Link, [GATTService]) async throws -> Prepared
    ) async throws -> Prepared {
        while links.isGivingWay(peer), let end = links.end(of: peer) {
            for try await _ in end {}
            try Task.checkCancellation()
        }
        links.begin(peer)
        while links.isOverfull {
            guard try await endLongestIdleLink() else {
                throw RadioError(
                    .limitReached,
                    "connecting to \(peer): there are as many links as may be, and all are in use"
                )
            }
            try Task.checkCancellation()
        }
        while true {
            do {
                return try await links.radio.prepareLink(
                    to: peer,
                    where: hasNeeded,
                    didConnect: didConnect,
                    prepare
                )
            } catch let error as RadioError where error.code == .limitReached {
                guard try await endLongestIdleLink() else { throw error }
                try Task.checkCancellation()
            }
        }
    }

    /// The link to a peer is no longer used: it is kept for a while, or ended, as the pool says.
    package func endUse(of peer: PeerID) {
        let clock = links.clock
        let isToEnd = links.endUse(of: peer) { number, limit in
            Deadline(after: limit, on: clock, of: self) { owner in
                guard owner.links.hasBeenIdle(peer, since: number) else { return }
                owner.links.radio.executor.task(of: owner) { await $0.endIdleLink(to: peer) }
            }
        }
        if isToEnd { links.radio.executor.task(of: self) { await $0.endIdleLink(to: peer) } }
    }

    /// Ends the link to a peer, if there is one that nothing uses.
    package func endIdleLink(to peer: PeerID) async {
        guard links.isIdle(peer), let link = removeIdleLink(to: peer) else { return }
        await disconnect(link)
    }

    /// Ends the link that nothing has used for longest, and waits until it has ended, or until cancelled.
    ///
    /// - Returns: whether there was one.
    private func endLongestIdleLink() async throws -> Bool {
        guard let peer = links.longestIdle, let link = links[peer], let end = links.end(of: peer)
        else { return false }
        await disconnect(link)
        for try await _ in end {}
        return true
    }

    /// Hands the end of a link to the system, also when who calls has been cancelled.
    package func disconnect(_ link: any Link) async {
        await Task { await link.disconnect() }.value
    }
}
