public import BLE
internal import DBus

extension Adapter {
    /// Begins to listen.
    ///
    /// All scans share one discovery, whose filter asks for all LE advertisements; each report is
    /// filtered here. It pauses while a connection is made; a scan that begins meanwhile returns at
    /// once.
    ///
    /// D-Bus: `org.bluez.Adapter1.SetDiscoveryFilter`, `StartDiscovery`, `StopDiscovery`. Source:
    /// BlueZ, doc/org.bluez.Adapter.rst.
    ///
    /// - Parameter filter: which peers are reported.
    /// - Returns: a stream of reports. The scan ends when the stream is no longer consumed.
    /// - Throws: `RadioError`, `CancellationError`.
    public func scan(
        _ filter: ScanFilter
    ) async throws -> AsyncThrowingStream<ScanEvent, any Error> {
        try checkUsable()
        let (events, continuation) = AsyncThrowingStream.makeStream(
            of: ScanEvent.self,
            bufferingPolicy: .bufferingNewest(256)
        )
        let scan = Scan(filter, continuation)
        let id = nextID()
        scans[id] = scan
        // A scan keeps its adapter open. Nothing depends on when exactly it ends.
        continuation.onTermination = { reason in
            guard case .cancelled = reason else { return }
            Task { await self.endScan(id) }
        }
        steerDiscovery()
        guard !discovery.isPaused else { return events }
        do {
            try await scan.listening.wait()
        } catch {
            endScan(id)
            throw error
        }
        return events
    }

    private func endScan(_ id: Int) {
        scans.removeValue(forKey: id)?.end()
        steerDiscovery()
    }

    // MARK: - Discovery

    /// Calls what the discovery needs now.
    func steerDiscovery() {
        discovery.isWanted = !scans.isEmpty
        switch discovery.next() {
        case .start(let epoch):
            setDiscoveryFilter()
            connection.request(Adapter1(path: path).startDiscovery, logger) { [weak self] result in
                self?.assumeIsolated { $0.didStartDiscovery(result, epoch) }
            }
        case .stop(let epoch):
            // Also after an error: then there was no discovery.
            connection.request(Adapter1(path: path).stopDiscovery, logger) { [weak self] _ in
                self?.assumeIsolated { adapter in
                    if adapter.discovery.didStop(epoch: epoch) { adapter.steerDiscovery() }
                }
            }
        case nil:
            break
        }
        if discovery.isStopped { fulfilSilence() }
        if discovery.isRunning { for scan in scans.values { scan.listening.fulfil() } }
    }

    /// The filter stays with bluetoothd as long as this connection.
    private func setDiscoveryFilter() {
        guard !isDiscoveryFilterSet else { return }
        isDiscoveryFilterSet = true
        connection.request(Adapter1(path: path).setDiscoveryFilter, logger) { [weak self] result in
            guard case .failure = result else { return }
            self?.assumeIsolated { $0.isDiscoveryFilterSet = false }
        }
    }

    private func didStartDiscovery(_ result: Result<Message, any Error>, _ epoch: Int) {
        var failure: (any Error)?
        if case .failure(let error) = result { failure = error }
        // Either this client has a discovery that it doesn't know of, which is ended, or the kernel
        // has one of a bluetoothd that was killed, for 10 s; then nothing would be heard.
        if (failure as? ErrorReply)?.name == BlueZError.inProgress {
            connection.request(Adapter1(path: path).stopDiscovery, logger) { _ in }
        }
        guard discovery.didStart(failure == nil, epoch: epoch) else { return }
        if let failure {
            let scans = scans.values
            self.scans = [:]
            let error = BlueZError.translate(failure, for: .use, "scanning with \(name)")
            for scan in scans { scan.end(error) }
        }
        steerDiscovery()
    }

    func fulfilSilence() {
        for promise in silence { promise.fulfil() }
        silence = []
    }

    // MARK: - Connecting

    /// Connects to a peer, and reads which services it has.
    ///
    /// One peer has one link: connecting to it again gives the same one. While the link that was
    /// before is being ended, this waits for its end. A link that another program made is taken
    /// over, and not ended when the attempt is cancelled or the adapter closed.
    ///
    /// D-Bus: `org.bluez.Device1.Connect`. Source: BlueZ, doc/org.bluez.Device.rst.
    ///
    /// - Parameters:
    ///   - peer: who was seen in a scan.
    ///   - didLink: called when `Connect` has returned, before the services are known.
    /// - Returns: a link that is up, its services known.
    /// - Throws: `RadioError`, `CancellationError`.
    public func connect(
        to peer: PeerID,
        didLink: @escaping @Sendable () async -> Void
    ) async throws -> any Link {
        try checkUsable()
        if let device = try await establishedLink(to: peer) { return device }
        guard let path = path(of: peer) else {
            throw RadioError(.unknownPeer, "connecting to \(peer): \(name) has not heard it lately")
        }
        let device = RemoteDevice(
            Device1(path: path, properties: mirror[path, Device1.interface] ?? .init()),
            on: self,
            services: services(of: path)
        )
        devices[path] = device
        discovery.pause()
        steerDiscovery()
        defer {
            discovery.resume()
            steerDiscovery()
        }
        do {
            if !discovery.isStopped {
                let promise = Promise<Void>()
                silence.append(promise)
                try await promise.wait()
            }
            try await device.connect(didLink: didLink)
        } catch {
            if devices[path] === device { devices[path] = nil }
            await device.end(nil)
            throw error
        }
        return device
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
