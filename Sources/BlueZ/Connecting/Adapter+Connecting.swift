public import BLE
internal import DBus
internal import Logging

/// Making links: what passes is tried again, and who is gone is looked for.
extension Adapter {
    /// Connects to a peer, and reads which services it has.
    ///
    /// One peer has one link: connecting to it again gives the same one. While the link that was
    /// before is being ended, this waits for its end. A link that another program made is taken
    /// over, and not ended when the attempt is cancelled or the adapter closed.
    ///
    /// An attempt that fails as if another might succeed is repeated, at most three times within
    /// 20 s, with pauses that grow. A peer that bluetoothd has forgotten meanwhile is looked for,
    /// for 5 s. Once there was a link, what ends it is told at once.
    ///
    /// D-Bus: `org.bluez.Device1.Connect`. Source: BlueZ, doc/org.bluez.Device.rst.
    ///
    /// - Parameters:
    ///   - peer: who was seen in a scan.
    ///   - didLink: called when `Connect` has returned, before the services are known.
    /// - Returns: a link that is up, its services known.
    /// - Throws: `RadioError` with `unknownPeer` when the peer was not heard again,
    ///   `connectionFailed` when no attempt succeeded, `busy` when a connection to this peer is
    ///   being made already; the message says how often it was tried. `CancellationError`.
    public func connect(
        to peer: PeerID,
        didLink: @escaping @Sendable () async -> Void
    ) async throws -> any Link {
        try checkUsable()
        if let device = try await establishedLink(to: peer) { return device }
        guard connecting.insert(peer).inserted else {
            throw RadioError(.busy, "connecting to \(peer): that is being done already")
        }
        discovery.pause()
        steerDiscovery()
        defer {
            connecting.remove(peer)
            discovery.resume()
            steerDiscovery()
        }
        return try await keepConnecting(to: peer, didLink)
    }

    /// A call that ends a link has its reply.
    func didDisconnectFromHere(_ path: ObjectPath) {
        let count = disconnectCounts[path, default: 1] - 1
        disconnectCounts[path] = count > 0 ? count : nil
    }

    /// The link that there is; waits for the end of one that is being ended.
    private func establishedLink(to peer: PeerID) async throws -> RemoteDevice? {
        while let device = devices.values.first(where: { $0.peer == peer }) {
            switch await device.state {
            case .up:
                return device
            case .connecting:
                throw RadioError(.busy, "connecting to \(peer): that is being done already")
            case .leaving:
                try await device.promiseEnd().wait()
                try checkUsable()
            case .ended:
                devices[device.path] = nil
            }
        }
        return nil
    }

    // MARK: - Attempts

    private func keepConnecting(
        to peer: PeerID,
        _ didLink: @escaping @Sendable () async -> Void
    ) async throws -> RemoteDevice {
        let elapsed = recovery.stopwatch()
        var pauses = recovery.connectPauses
        var count = 0
        var wasLinked = false
        var wasSought = false
        while true {
            let path = path(of: peer)
            do {
                guard let path else {
                    let text = "connecting to \(peer): \(name) has not heard it lately"
                    throw RadioError(.unknownPeer, text)
                }
                count += 1
                return try await connect(to: path, isFirst: count == 1, &wasLinked, didLink)
            } catch let error as RadioError {
                logger.debug("attempt \(count): \(error)")
                guard !wasLinked else { throw error }
                if error.code == .unknownPeer, !wasSought {
                    wasSought = true
                    guard try await hears(peer) else {
                        throw error.tried(count, soughtFor: recovery.seeking)
                    }
                    continue
                }
                guard BlueZError.isTransient(error), count < recovery.connectCount,
                    elapsed() < recovery.connecting
                else { throw error.tried(count) }
                if let path { try await waitForParting(at: path) }
                try await pause(for: pauses.next(using: &random))
            }
        }
    }

    private func connect(
        to path: ObjectPath,
        isFirst: Bool,
        _ wasLinked: inout Bool,
        _ didLink: @escaping @Sendable () async -> Void
    ) async throws -> RemoteDevice {
        let known = Device1(path: path, properties: mirror[path, Device1.interface] ?? .init())
        let device = RemoteDevice(
            known,
            on: self,
            services: services(of: path),
            isForeign: isFirst && known.isConnected && disconnectCounts[path] == nil
        )
        devices[path] = device
        do {
            if !discovery.isStopped {
                let promise = Promise<Void>()
                silence.append(promise)
                try await promise.wait()
            }
            try await device.connect(didLink: didLink)
        } catch {
            wasLinked = await device.isLinked
            if devices[path] === device { devices[path] = nil }
            await device.end(nil)
            throw error
        }
        return device
    }

    /// Waits until a device is not shown as connected: for a moment bluetoothd may show so a link that
    /// failed (hbldh/bleak#631).
    private func waitForParting(at path: ObjectPath) async throws {
        let device = Device1(path: path, properties: mirror[path, Device1.interface] ?? .init())
        guard device.isConnected else { return }
        // Made before anything is waited for: it may part at once.
        let parting = parting(at: path)
        _ = try await withTimeLimit(recovery.unlinking, on: recovery.clock) {
            try await parting.wait()
        }
    }

    private func parting(at path: ObjectPath) -> Promise<Void> {
        let promise = Promise<Void>()
        partings[path, default: []].append(promise)
        return promise
    }

    /// Waits, but not for an adapter that cannot be used any longer.
    private func pause(for duration: Duration) async throws {
        try checkUsable()
        let id = nextID()
        let interruption = Promise<Void>()
        interruptions[id] = interruption
        defer { interruptions[id] = nil }
        _ = try await withTimeLimit(duration, on: recovery.clock) {
            try await interruption.wait()
        }
    }

    /// Looks for a peer that bluetoothd no longer knows.
    ///
    /// - Returns: whether it was heard in time.
    private func hears(_ peer: PeerID) async throws -> Bool {
        discovery.resume()
        defer {
            discovery.pause()
            steerDiscovery()
        }
        let isHeard = try await withTimeLimit(recovery.seeking, on: recovery.clock) {
            for try await case .seen(let sighting) in try await self.scan(ScanFilter())
            where sighting.peer == peer {
                return true
            }
            // A scan's stream ends so, too.
            try Task.checkCancellation()
            return false
        }
        return isHeard ?? false
    }

    // MARK: - What is known

    private func path(of peer: PeerID) -> ObjectPath? {
        mirror.objects(with: Device1.interface)
            .first { path, properties in
                path.isWithin(self.path) && Device1(path: path, properties: properties).peer == peer
            }?
            .path
    }

    private func services(of device: ObjectPath) -> RemoteServices {
        var services = RemoteServices()
        for interface in [GattService1.interface, GattCharacteristic1.interface] {
            for (path, properties) in mirror.objects(with: interface)
            where path.isWithin(device) {
                services.add(path, interface, properties)
            }
        }
        services.forgetMTU()
        return services
    }
}

extension RadioError {
    /// The same failure, with how much was done about it.
    fileprivate func tried(_ count: Int, soughtFor limit: Duration? = nil) -> RadioError {
        var text = message
        if count > 1 { text += "; tried \(count) times" }
        if let limit { text += "; not heard again within \(limit)" }
        return RadioError(code, text, underlying: underlying)
    }
}
