package import BLE
internal import BLELocking

extension CentralRadio {
    /// Connects to a peer, discovers its services, and prepares the link.
    ///
    /// Systems keep the services of a peer over connections, and not every peer says that it has changed them. So where they are not
    /// what is needed, and where the peer refuses attributes that they have, they are forgotten, and discovered anew over another
    /// connection, once.
    ///
    /// - Parameters:
    ///   - peer: the peer.
    ///   - hasNeeded: whether services are what is needed. When they are not so the second time either, the link is
    ///     prepared all the same: that fails with a reason.
    ///   - didConnect: called when there is a connection.
    ///   - prepare: does what makes the link usable. When it fails, the link is disconnected.
    /// - Returns: what was prepared.
    /// - Throws: what the radio or the preparation throws; `CancellationError`.
    package nonisolated(nonsending) func prepareLink<Prepared>(
        to peer: PeerID,
        where hasNeeded: ([GATTService]) -> Bool,
        didConnect: () -> Void = {},
        _ prepare: (any Link, [GATTService]) async throws -> Prepared
    ) async throws -> Prepared {
        do {
            return try await attempt(peer, isLast: false, hasNeeded, { _ in didConnect() }, prepare)
        } catch is OtherServices {
            return try await attempt(peer, isLast: true, hasNeeded, { _ in didConnect() }, prepare)
        }
    }

    /// Connects to a peer, discovers its services, and prepares the link, as long as a connection carries something.
    ///
    /// A connection may carry nothing, or one way only, and the system waits for it all the same: a bluetoothd 5.66 with several
    /// bearers has one now and then.
    ///
    /// - Parameters:
    ///   - peer: the peer.
    ///   - hasNeeded: whether services are what is needed.
    ///   - limit: how long each of the two connections may take until the link is prepared; ending the first one counts for neither.
    ///     One that took longer has ended when this throws.
    ///   - clock: measures that.
    ///   - prepare: does what makes the link usable. When it fails, the link is disconnected.
    /// - Returns: what was prepared.
    /// - Throws: what the radio or the preparation throws; `RadioError` with `timedOut`; `CancellationError`.
    package func prepareLink<Prepared: Sendable>(
        to peer: PeerID,
        where hasNeeded: @escaping @Sendable ([GATTService]) -> Bool,
        within limit: Duration,
        on clock: any Clock<Duration>,
        _ prepare: @escaping @Sendable (any Link, [GATTService]) async throws -> Prepared
    ) async throws -> Prepared {
        do {
            return try await attempt(
                peer,
                isLast: false,
                within: limit,
                on: clock,
                hasNeeded,
                prepare
            )
        } catch is OtherServices {
            return try await attempt(
                peer,
                isLast: true,
                within: limit,
                on: clock,
                hasNeeded,
                prepare
            )
        }
    }

    private func attempt<Prepared: Sendable>(
        _ peer: PeerID,
        isLast: Bool,
        within limit: Duration,
        on clock: any Clock<Duration>,
        _ hasNeeded: @escaping @Sendable ([GATTService]) -> Bool,
        _ prepare: @escaping @Sendable (any Link, [GATTService]) async throws -> Prepared
    ) async throws -> Prepared {
        let made = Locked<(any Link)?>(nil)
        do {
            // Ending a connection takes long; whether the link could be prepared is known before.
            let prepared = try await withTimeLimit(limit, on: clock, keepsErrors: true) {
                try await attempt(
                    peer,
                    isLast: isLast,
                    hasNeeded,
                    { link in made.withLock { $0 = link } },
                    prepare
                )
            }
            if let prepared { return prepared }
            throw RadioError(.timedOut, "connecting to \(peer) took longer than \(limit.inUnits)")
        } catch let error where Self.meansAnotherConnection(error) {
            await made.withLock { $0 }?.waitForEnd()
            throw error
        }
    }

    /// - Throws: `OtherServices`, unless this is the last one, when the peer's services have been forgotten, and another attempt may find better ones.
    private nonisolated(nonsending) func attempt<Prepared>(
        _ peer: PeerID,
        isLast: Bool,
        _ hasNeeded: ([GATTService]) -> Bool,
        _ didConnect: (any Link) -> Void,
        _ prepare: (any Link, [GATTService]) async throws -> Prepared
    ) async throws -> Prepared {
        let link = try await connect(to: peer)
        do {
            didConnect(link)
            let services = try await link.discoverServices()
            if !isLast, !hasNeeded(services), await link.forgetServices() {
                throw OtherServices()
            }
            return try await prepare(link, services)
        } catch {
            let isStale = !isLast && Self.meansOtherServices(error)
            // Also when this task has been cancelled.
            let hasForgotten = await Task {
                let hasForgotten = isStale ? await link.forgetServices() : false
                await link.disconnect()
                return hasForgotten
            }.value
            throw hasForgotten ? OtherServices() : error
        }
    }

    /// Whether another connection is made, for which the one that failed is not to be waited.
    private static func meansAnotherConnection(_ error: any Error) -> Bool {
        error is OtherServices || (error as? RadioError)?.code == .timedOut
    }

    private static func meansOtherServices(_ error: any Error) -> Bool {
        switch error {
        case let error as ATTError: error.meansChangedServices
        case let error as RadioError:
            error.code == .missingAttribute || error.code == .servicesInvalidated
        default: false
        }
    }
}

extension Link {
    /// Waits until a link that was disconnected has ended, or until cancelled.
    fileprivate func waitForEnd() async { for await _ in events {} }
}

/// The peer has other services than the system showed, which now forgets them.
private struct OtherServices: Error {}
