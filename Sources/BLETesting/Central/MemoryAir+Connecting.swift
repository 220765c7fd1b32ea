internal import BLE

/// Connecting, and the end of connections.
extension MemoryAir {
    func connect(_ radio: PeerID, to peer: PeerID) async throws -> MemoryLink {
        let route = Route(from: radio, to: peer)
        try checkUsable(radio)
        while endings[route] != nil {
            try await waitForEnding(on: route)
            try checkUsable(radio)
        }
        let number = nextNumber()
        if let events = ends[route]?.client.links.add(number) {
            return MemoryLink(number, on: route, events, in: self)
        }
        guard radios[radio]?.known.contains(peer) == true else {
            let text = "connecting to \(peer): \(radio) has not seen it in a scan"
            throw RadioError(.unknownPeer, text)
        }
        try begin(route)
        let promise = Promise<MemoryLink>()
        attempts[route]?.waiting[number] = promise
        do {
            return try await promise.wait()
        } catch let error as CancellationError {
            cancelAttempt(number, on: route)
            throw error
        }
    }

    /// Begins an attempt, unless there is one.
    private func begin(_ route: Route) throws(RadioError) {
        guard attempts[route] == nil else { return }
        guard hasRoom(route.from) else {
            let count = radios[route.from]?.configuration.connectionCount ?? 0
            throw RadioError(
                .limitReached,
                "connecting to \(route.to): \(count) of \(count) connections are in use"
            )
        }
        let number = nextNumber()
        attempts[route] = Attempt(number: number)
        deliver(.connect(number), on: route)
    }

    private func hasRoom(_ radio: PeerID) -> Bool {
        let count =
            ends.keys.count { $0.from == radio }
            + attempts.keys.count { $0.from == radio && ends[$0] == nil }
        return count < radios[radio]?.configuration.connectionCount ?? 0
    }

    private func cancelAttempt(_ number: Int, on route: Route) {
        attempts[route]?.waiting[number] = nil
        if attempts[route]?.waiting.isEmpty == true { attempts[route] = nil }
        // It may have succeeded just before.
        disconnect(number, on: route, nil)
    }

    /// An attempt has failed: whoever came first is told, and for the others there is another one.
    private func retryAttempt(on route: Route, _ error: RadioError) {
        guard var attempt = attempts.removeValue(forKey: route),
            let first = attempt.waiting.keys.min()
        else { return }
        attempt.waiting.removeValue(forKey: first)?.fail(error)
        guard !attempt.waiting.isEmpty else { return }
        let number = nextNumber()
        attempts[route] = Attempt(number: number, waiting: attempt.waiting)
        deliver(.connect(number), on: route)
    }

    /// The radio can no longer connect.
    func failAttempt(on route: Route, _ error: RadioError) {
        guard let attempt = attempts.removeValue(forKey: route) else { return }
        for (_, promise) in attempt.waiting.ordered { promise.fail(error) }
    }

    func setConnectionAttempts(_ outcome: MemoryRadio.ConnectionAttempts, to radio: PeerID) {
        radios[radio]?.connectionAttempts = outcome
        for peer in peers {
            let route = Route(from: peer, to: radio)
            if let attempt = attempts[route] { deliver(.connect(attempt.number), on: route) }
        }
    }

    /// A radio is asked for a connection.
    func receiveConnection(_ number: Int, on route: Route) {
        // It may have been cancelled, or both have asked at once.
        guard attempts[route]?.number == number, let radio = radios[route.to] else { return }
        switch radio.connectionAttempts {
        case .hang:
            return
        case .fail(let error):
            retryAttempt(on: route, error)
        case .succeed:
            let areBothConnecting = attempts[route.reversed] != nil
            guard strength(on: route) != nil, areBothConnecting || isConnectable(route.to),
                areBothConnecting || hasRoom(route.to)
            else {
                let text = "connecting to \(route.to): it does not take connections"
                return retryAttempt(on: route, RadioError(.connectionFailed, text))
            }
            establish(route)
        }
    }

    private func establish(_ route: Route) {
        // One that this radio knows to have ended, but its peer not yet.
        losePackets(of: ends[route.reversed]?.connection ?? 0, on: route.reversed)
        let lost = RadioError(.peerGone, "the connection to \(route.from) was lost")
        endConnection(at: route.reversed, lost, forPeer: nil)
        let connection = nextNumber()
        let mtuBytes =
            [route.from, route.to]
            .compactMap { radios[$0]?.configuration.mtuBytes }.min() ?? 23
        let both = [route, route.reversed]
        let own = both.map { attempts.removeValue(forKey: $0) }
        for (route, attempt) in zip(both, own) {
            ends[route] = ConnectionEnd(
                connection: connection,
                isMaker: attempt != nil,
                client: GATTClient(
                    peer: route.to,
                    mtuBytes: max(mtuBytes, 23),
                    kept: radios[route.from]?.keptServices[route.to]
                )
            )
            radios[route.from]?.known.insert(route.to)
        }
        for (route, attempt) in zip(both, own) {
            for (number, promise) in attempt?.waiting.ordered ?? [] {
                guard let events = ends[route]?.client.links.add(number) else { continue }
                let link = MemoryLink(number, on: route, events, in: self)
                promise.fulfil(.success(link))
            }
            didConnect(route.to, to: route.from)
        }
    }

    // MARK: - End

    /// Waits as long as a radio takes to end a link; also when the task is cancelled.
    func waitToDisconnect(from radio: PeerID) async {
        guard let duration = radios[radio]?.disconnectingTime, duration > .zero else { return }
        await Task { [clock] in try? await clock.sleep(for: duration) }.value
    }

    /// Ends a link, as long after it was asked to as the radio takes.
    func leave(_ link: Int, on route: Route) {
        guard let delay = radios[route.from]?.endingTime, delay > .zero,
            ends[route]?.client.links.contains(link) == true
        else { return disconnect(link, on: route, nil) }
        if endings[route] == nil { endings[route] = [:] }
        executor.task(of: self) { air in
            try? await air.clock.sleep(for: delay)
            air.disconnect(link, on: route, nil)
            air.finishEnding(on: route, .success(()))
        }
    }

    private func waitForEnding(on route: Route) async throws {
        let number = nextNumber()
        let promise = Promise<Void>()
        endings[route]?[number] = promise
        defer { endings[route]?[number] = nil }
        try await promise.wait()
    }

    /// Nobody waits for the end of a connection any longer.
    func finishEnding(on route: Route, _ result: Result<Void, any Error>) {
        for (_, promise) in endings.removeValue(forKey: route)?.ordered ?? [] {
            promise.fulfil(result)
        }
    }

    /// Ends a link, and the connection with the last one.
    func disconnect(_ link: Int, on route: Route, _ error: RadioError?) {
        guard let end = ends[route], end.client.links.contains(link) else { return }
        carryOut(ends[route]?.client.end(link, error, nextID: nextNumber()) ?? [], on: route)
        ends[route]?.access.end(link)
        let isUsed = both(route).contains { end in end.isMaker && !end.client.links.isEmpty }
        guard end.isMaker, !isUsed else { return }
        let text = "\(route.from) ended the connection"
        endConnection(at: route, nil, forPeer: RadioError(.peerGone, text))
    }

    private func both(_ route: Route) -> [ConnectionEnd] {
        [route, route.reversed].compactMap { ends[$0] }
    }

    /// Ends one end of a connection.
    ///
    /// - Parameters:
    ///   - route: from this end to the other one.
    ///   - error: why, for the links of this end; `nil` when it was ended here.
    ///   - peerError: why, for the other end; `nil` when it has ended already.
    func endConnection(at route: Route, _ error: RadioError?, forPeer peerError: RadioError?) {
        if let peerError { send(.terminated(peerError), on: route) }
        guard var end = ends.removeValue(forKey: route) else { return }
        carryOut(end.client.end(error), on: route)
        didDisconnect(route.to, from: route.from)
    }

    /// Loses a connection, of which both ends are told.
    func cut(_ route: Route) {
        for route in [route, route.reversed] {
            guard let connection = ends[route]?.connection else { continue }
            losePackets(of: connection, on: route)
            let lost = RadioError(.peerGone, "the connection to \(route.from) was lost")
            send(.terminated(lost), on: route)
        }
    }
}
