internal import BLE
internal import BLESession

// A connection to a peripheral.
extension PacketConnection {
    /// How long the radio is left alone before it connects again.
    private static let shortestPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(2)

    func connect(over radio: any CentralRadio, to peer: PeerID?) {
        connecting = executor.task(of: self) { connection in
            await connection.keepConnected(over: radio, to: peer)
        }
    }

    /// Until it is closed, or the link is lost and it does not resume.
    private func keepConnected(over radio: any CentralRadio, to peer: PeerID?) async {
        var peer = peer
        var pause = Self.shortestPause
        var end: SocketError?
        repeat {
            do {
                let link = try await Self.link(over: radio, to: peer, configuration, on: clock)
                (peer, pause) = (link.peer, Self.shortestPause)
                end = await use(link)
                if let loss = end {
                    if resumes {
                        report(.lost(loss))
                    } else {
                        end = await cause(of: loss, over: radio)
                    }
                }
            } catch {
                end = error is CancellationError ? nil : Self.failure(error)
            }
            guard resumes, !Task.isCancelled else { break }
            try? await clock.sleep(for: pause)
            pause = min(pause * 2, Self.longestPause)
        } while resumes && !Task.isCancelled
        connecting = nil
        report(.closed(Task.isCancelled ? nil : end))
    }

    func disconnect() async {
        guard let connecting else { return }
        connecting.cancel()
        await connecting.value
    }

    /// A link over which the service is subscribed to.
    private static func link(
        over radio: any CentralRadio,
        to peer: PeerID?,
        _ configuration: SocketConfiguration,
        on clock: any Clock<Duration>
    ) async throws -> any Link {
        let limit = configuration.openLimit ?? .seconds(Int32.max)
        let search = PeripheralSearch(
            service: configuration.service,
            peer: peer,
            limit: limit
        )
        // What the peripheral lacks is known before the connection has ended.
        let link = try await withTimeLimit(limit, on: clock, keepsErrors: true) {
            try await waitUntilOn(radio)
            return try await search.link(
                over: radio,
                on: clock,
                where: { configuration.transport(of: $0) != nil },
                prepare: { try await subscribed($0, $1, configuration) }
            )
        }
        guard let link else {
            try Task.checkCancellation()
            guard await radio.state == .on else {
                throw SocketError(.bluetoothOff, "Bluetooth was not on within \(limit.inUnits)")
            }
            throw failure(of: search, for: configuration.service, peer, within: limit)
        }
        return link
    }

    private static func failure(
        of search: PeripheralSearch,
        for service: BluetoothUUID,
        _ peer: PeerID?,
        within limit: Duration
    ) -> SocketError {
        if let found = search.found {
            return SocketError(
                .timedOut,
                "\(found) was found, but not connected to within \(limit.inUnits)",
                underlying: search.lastError
            )
        }
        return SocketError(
            .notFound,
            "no peripheral \(peer.map { "\($0) " } ?? "")with the service \(service) was found within \(limit.inUnits)"
        )
    }

    private static func waitUntilOn(_ radio: any CentralRadio) async throws {
        for await state in await radio.states() where state == .on { return }
        try Task.checkCancellation()
    }

    private static func subscribed(
        _ link: any Link,
        _ services: [GATTService],
        _ configuration: SocketConfiguration
    ) async throws -> any Link {
        guard let transport = configuration.transport(of: services) else {
            throw SocketError(
                .notFound,
                "\(link.peer) has no service \(configuration.service) with \(configuration.characteristicNames)"
            )
        }
        try await link.subscribe(to: configuration.notifyID(of: transport))
        return link
    }

    private static func failure(_ error: any Error) -> SocketError {
        if let error = error as? SocketError { return error }
        return lost("connecting failed", error)
    }

    /// Why a link has ended: the system may tell of that before it tells that the radio went off.
    private func cause(of loss: SocketError, over radio: any CentralRadio) async -> SocketError {
        guard stateDelay > .zero, loss.code != .bluetoothOff else { return loss }
        let isOff = try? await withTimeLimit(stateDelay, on: clock) {
            await radio.states().contains { $0 != .on }
        }
        guard isOff == true else { return loss }
        return SocketError(.bluetoothOff, "Bluetooth went off", underlying: loss)
    }

    /// Why there is no connection any more, or none yet: one's own radio, or the other end.
    private static func lost(_ what: String, _ cause: (any Error)?) -> SocketError {
        switch (cause as? RadioError)?.code {
        case .off?, .absent?, .noService?:
            SocketError(.bluetoothOff, "Bluetooth went off", underlying: cause)
        default:
            SocketError(.lostConnection, what, underlying: cause)
        }
    }

    private static func disconnected(_ cause: RadioError?) -> SocketError {
        switch cause?.code {
        case .overflow?:
            SocketError(
                .full,
                "the connection was ended: what came was not taken in time",
                underlying: cause
            )
        case .unknownPeer?:
            SocketError(.notPermitted, "the system has ended the connection", underlying: cause)
        default:
            lost("the other end has left", cause)
        }
    }

    /// Until the link ends, or this is closed.
    ///
    /// - Returns: why the link ended; `nil` when this was closed.
    private func use(_ link: any Link) async -> SocketError? {
        var end: SocketError? = Self.withdrawn
        if !Task.isCancelled, let channel = await channel(link) {
            self.link = link
            report(.opened(channel))
            end = await receive(from: link, by: channel.transport)
            self.link = nil
        }
        // Also when this task has been cancelled.
        await Task { await link.disconnect() }.value
        return Task.isCancelled ? nil : end
    }

    private static var withdrawn: SocketError {
        SocketError(.lostConnection, "the other end has taken its service back")
    }

    /// - Returns: why nothing comes any more.
    private func receive(from link: any Link, by transport: SocketTransport) async -> SocketError? {
        let notify = configuration.notifyID(of: transport)
        for await event in link.events {
            switch event {
            case .notification(notify, let bytes):
                report(.received(bytes))
            case .servicesInvalidated(let services) where services.contains(configuration.service):
                return Self.withdrawn
            case .disconnected(let cause):
                return Self.disconnected(cause)
            case .notification, .servicesInvalidated, .mtuChanged:
                break
            }
        }
        return nil
    }

    /// How packets are written: as fast as it goes, but in order where nothing else keeps it.
    private func writeKind(
        _ transport: SocketTransport,
        _ properties: CharacteristicProperties
    ) async -> WriteKind {
        guard properties.contains(.writeWithoutResponse) else { return .withResponse }
        guard transport == .raw, properties.contains(.write), case .central(let radio, _) = role
        else { return .withoutResponse }
        let isOrdered = await radio.capabilities.features.contains(.orderedValues)
        return isOrdered ? .withoutResponse : .withResponse
    }

    private func channel(_ link: any Link) async -> PacketChannel? {
        let services = await link.services
        guard let transport = configuration.transport(of: services) else { return nil }
        let write = configuration.writeID(of: transport)
        let properties = services[write]?.properties ?? []
        let kind = await writeKind(transport, properties)
        let transmit: PacketChannel.Transmission =
            switch kind {
            case .withoutResponse: { try await link.writeWithoutResponse($0, to: write) }
            case .withResponse: { try await link.write($0, to: write) }
            }
        return PacketChannel(
            number: nextChannelNumber(),
            transport: transport,
            mtuBytes: { await link.mtuBytes },
            transmit: transmit,
            // It is a third faster where there is such access. Nothing else is written meanwhile, not even by this link.
            acquireExclusiveAccess: {
                guard let writer = try? await link.acquireWriter(for: write) else { return nil }
                return PacketChannel.ExclusiveAccess(maximumByteCount: writer.maximumByteCount) {
                    try await writer.write($0)
                }
            }
        )
    }
}
