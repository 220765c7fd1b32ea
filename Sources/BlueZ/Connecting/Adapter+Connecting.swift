public import BLE
internal import BLEDBus
internal import Logging

/// Making links: what passes is tried again, and who is gone is looked for.
extension Adapter {
    /// Connects to a peer.
    ///
    /// Links of this adapter share the connection to a peer; the last one that is disconnected ends it.
    /// While a connection is being made or ended, this waits for that.
    ///
    /// Other programs share the connection, too. It stays as long as one of them is subscribed to any of the
    /// peer's characteristics, and is ended by the last one. Where another program or the peer had made it, and nobody
    /// was subscribed, it is left to them, unless the peer refuses what bluetoothd shows; the first subscription
    /// over it waits for half a second, whether others subscribe. A program that only reads and writes is not seen, and may lose
    /// its connection to the end of another's.
    ///
    /// bluetoothd signals each value once for every program that has subscribed to its characteristic, to all of
    /// them: with two such programs each value is notified twice. Values that must count once carry a number,
    /// or are read with exclusive access.
    ///
    /// A peer that is connected already, whoever has made the connection, is not called. An adapter that advertises, for whichever
    /// program, waits for up to 0.8 s before it calls, as `ConnectionOptions.immediately` has it; and half a second after the
    /// connection to that peer has ended. Whether there is a connection is judged by what bluetoothd shows rather than by its
    /// reply, which may not come.
    ///
    /// An attempt that fails as if another might succeed is repeated, at most three times within
    /// 20 s, with pauses that grow. A peer that bluetoothd has forgotten meanwhile is looked for,
    /// for 5 s during which no other connection is being made. Once there was a connection that was made here, what ends it is reported at once.
    ///
    /// D-Bus: `org.bluez.Device1.Connect`. Source: BlueZ, doc/org.bluez.Device.rst.
    ///
    /// - Parameters:
    ///   - peer: who was seen in a scan.
    ///   - options: how the connection is made.
    /// - Returns: a link, once there is a connection.
    /// - Throws: `RadioError` with `unknownPeer` when the peer was not discovered again,
    ///   `connectionFailed` when no attempt succeeded; the message says how often it was tried.
    ///   `CancellationError`.
    public func connect(to peer: PeerID, options: ConnectionOptions) async throws -> any Link {
        try checkUsable()
        while connecting[peer] != nil {
            // Tried anew if that attempt fails, which may have been cancelled.
            try await promiseAttempt(to: peer).wait()
            try checkUsable()
        }
        // Before it looks for a link: an actor's own functions may give way to another call.
        connecting[peer] = []
        defer { for promise in connecting.removeValue(forKey: peer) ?? [] { promise.fulfil() } }
        if let link = try await existingLink(to: peer) { return link }
        return try await makeLink(to: peer, options)
    }

    /// Another link over the connection that there is, once one that is being ended has ended.
    private func existingLink(to peer: PeerID) async throws -> RemoteLink? {
        while let device = devices.values.first(where: { $0.peer == peer }) {
            switch await device.state {
            case .up:
                if let link = await device.addLink() { return link }
            case .connecting:
                return nil
            case .leaving:
                try await device.promiseEnd().wait()
                try checkUsable()
            case .ended:
                devices[device.path] = nil
            }
        }
        return nil
    }

    private func promiseAttempt(to peer: PeerID) -> Promise<Void> {
        let promise = Promise<Void>()
        connecting[peer]?.append(promise)
        return promise
    }

    private func makeLink(
        to peer: PeerID,
        _ options: ConnectionOptions
    ) async throws -> RemoteLink {
        discovery.pause()
        steerDiscovery()
        defer {
            discovery.resume()
            steerDiscovery()
        }
        let device = try await makeConnection(to: peer, options)
        guard let link = await device.addLink() else {
            throw RadioError(.connectionFailed, "the link to \(peer) was lost at once")
        }
        return link
    }

    // MARK: - Attempts

    /// How far an attempt came that failed.
    private struct Attempt {
        /// Whether there was a link.
        var wasLinked = false
        /// Whether that was there before the attempt.
        var wasShared = false
    }

    private func makeConnection(
        to peer: PeerID,
        _ options: ConnectionOptions
    ) async throws -> RemoteDevice {
        let elapsed = recovery.stopwatch()
        var pauses = recovery.connectPauses
        var count = 0
        var attempt = Attempt()
        var wasSearched = false
        while true {
            let path = path(of: peer)
            do {
                guard let path else { throw unknown(peer) }
                count += 1
                try await waitToCall(path, isFirst: count == 1, options)
                // It may have been removed meanwhile.
                guard let properties = mirror[path, Device1.interface] else { throw unknown(peer) }
                let known = Device1(path: path, properties: properties)
                return try await attemptLink(to: known, isFirst: count == 1, &attempt)
            } catch let error as RadioError {
                logger.info("attempt \(count) failed: \(error)", metadata: ["peer": "\(peer)"])
                // Another program may end its link just then.
                let wasTaken = attempt.wasShared && error.code == .connectionFailed
                guard !attempt.wasLinked || wasTaken else { throw error }
                if error.code == .unknownPeer, !wasSearched {
                    wasSearched = true
                    guard try await find(peer, recovery.connectRetryLimit - elapsed()) else {
                        throw error.tried(count, searchedFor: recovery.searchLimit)
                    }
                    continue
                }
                guard BlueZError.isTransient(error) || attempt.wasLinked,
                    count < recovery.connectCount, elapsed() < recovery.connectRetryLimit
                else { throw error.tried(count) }
                if let path { try await waitUntilDisconnected(at: path) }
                try await pause(for: pauses.next(using: &random))
            }
        }
    }

    private func unknown(_ peer: PeerID) -> RadioError {
        RadioError(.unknownPeer, "connecting to \(peer): \(name) has not heard it lately")
    }

    private func attemptLink(
        to known: Device1,
        isFirst: Bool,
        _ attempt: inout Attempt
    ) async throws -> RemoteDevice {
        let path = known.path
        let device = RemoteDevice(
            known,
            on: self,
            services: services(of: path),
            mayBeForeign: isFirst && releaseCounts[path] == nil,
            isGoing: releaseCounts[path] != nil
        )
        devices[path] = device
        do {
            if !discovery.isStopped {
                let promise = Promise<Void>()
                discoveryStopWaiters.append(promise)
                try await promise.wait()
            }
            try await device.open()
        } catch {
            attempt = Attempt(
                wasLinked: await device.isLinked,
                wasShared: await device.wasConnected
            )
            if devices[path] === device { devices[path] = nil }
            await device.end(nil)
            throw error
        }
        return device
    }

    /// Waits before a peer is called that is not connected: for a while after its last connection, and where it may call, too.
    private func waitToCall(
        _ path: ObjectPath,
        isFirst: Bool,
        _ options: ConnectionOptions
    ) async throws {
        linkEnds = linkEnds.filter { $0.value() < recovery.linkPause }
        if !connectedDevices.contains(path), let elapsed = linkEnds[path] {
            try await pause(for: recovery.linkPause - elapsed())
        }
        let mayBeCalled = isFirst && !options.contains(.immediately) && isAdvertising
        if mayBeCalled, !connectedDevices.contains(path) {
            let share = Double.random(in: 0...1, using: &random)
            try await pause(for: recovery.longestCallPause * share)
        }
        try checkUsable()
    }

    /// Whether any program advertises with this adapter.
    var isAdvertising: Bool { advertisingManager.activeCount ?? 0 > 0 }

    /// Waits until a device is not shown as connected: for a moment bluetoothd may show so a link that
    /// failed (hbldh/bleak#631).
    private func waitUntilDisconnected(at path: ObjectPath) async throws {
        let device = Device1(path: path, properties: mirror[path, Device1.interface] ?? .init())
        guard device.isConnected else { return }
        // Made before anything is waited for: it may part at once.
        let disconnection = promiseDisconnection(at: path)
        _ = try await withTimeLimit(recovery.disconnectionLimit, on: recovery.clock) {
            try await disconnection.wait()
        }
    }

    private func promiseDisconnection(at path: ObjectPath) -> Promise<Void> {
        let promise = Promise<Void>()
        disconnectionWaiters[path, default: []].append(promise)
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
    /// - Parameters:
    ///   - peer: who is looked for.
    ///   - limit: how long to wait for that, while connections to others are being made, during which nothing is heard.
    /// - Returns: whether it was discovered in time.
    /// - Throws: what scanning throws, and the adapter's end; `CancellationError`.
    private func find(_ peer: PeerID, _ limit: Duration) async throws -> Bool {
        discovery.resume()
        steerDiscovery()
        defer {
            discovery.pause()
            steerDiscovery()
        }
        let elapsed = recovery.stopwatch()
        while true {
            if discovery.isPaused {
                _ = try await withTimeLimit(limit - elapsed(), on: recovery.clock) {
                    try await self.waitUntilResumed()
                }
            }
            let pauseCount = discovery.pauseCount
            if try await isHeard(peer) { return true }
            guard discovery.pauseCount != pauseCount, elapsed() < limit else { return false }
        }
    }

    /// Whether a peer is discovered in time.
    private func isHeard(_ peer: PeerID) async throws -> Bool {
        let hasRSSI = try await withTimeLimit(recovery.searchLimit, on: recovery.clock) {
            for try await case .seen(let sighting) in try await self.scan(ScanFilter())
            where sighting.peer == peer {
                return true
            }
            // A scan's stream ends so, too, and when the adapter is closed.
            try Task.checkCancellation()
            try await self.checkUsable()
            return false
        }
        return hasRSSI ?? false
    }

    /// Waits until no connection is being made: until then nothing is heard.
    private func waitUntilResumed() async throws {
        while discovery.isPaused {
            let (id, resumption) = resumptionWaits.add()
            defer { resumptionWaits.remove(id) }
            try await resumption.wait()
        }
    }

    // MARK: - What is known

    func path(of peer: PeerID) -> ObjectPath? {
        mirror.objects(with: Device1.interface)
            .first { path, properties in
                path.isWithin(self.path) && Device1(path: path, properties: properties).peer == peer
            }?
            .path
    }

    private func services(of device: ObjectPath) -> RemoteServices {
        var services = RemoteServices()
        for interface in [
            GattService1.interface, GattCharacteristic1.interface, GattDescriptor1.interface,
        ] {
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
    fileprivate func tried(_ count: Int, searchedFor limit: Duration? = nil) -> RadioError {
        var text = message
        if count > 1 { text += "; tried \(count) times" }
        if let limit { text += "; not heard again within \(limit.inUnits)" }
        return RadioError(code, text, underlying: underlying)
    }
}
