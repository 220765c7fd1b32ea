public import BLE
internal import BLEDBus

extension Adapter {
    /// Serves services, and advertises if an advertisement is given.
    ///
    /// The publication outlives the adapter's power: bluetoothd keeps it, and serves again when the
    /// power is back. It ends when the adapter is removed, or bluetoothd goes.
    ///
    /// A characteristic that can be written both with and without a response is refused unless
    /// `PublicationOptions.lostRefusals` is given: bluetoothd acknowledges its writes before it asks, and so
    /// loses every refusal.
    ///
    /// D-Bus: `org.bluez.GattManager1.RegisterApplication`,
    /// `org.bluez.LEAdvertisingManager1.RegisterAdvertisement`. Source: BlueZ,
    /// doc/org.bluez.GattManager.rst, doc/org.bluez.LEAdvertisingManager.rst.
    ///
    /// - Parameters:
    ///   - services: what to serve.
    ///   - advertisement: what to say of it, checked before anything is sent; `nil` for nothing.
    ///   - options: what the publication does differently.
    ///   - responder: who answers reads and writes; called on no particular thread, one call at a
    ///     time. What it has not answered 4 s after it came, the wait for what came before included, is refused in its place,
    ///     and not handed over any more. A write to a characteristic that takes writes without a response, whose refusal reaches
    ///     no central, is accepted in its place instead, and handed over when its turn comes.
    /// - Returns: the publication, once centrals can see it.
    /// - Throws: `RadioError`, `CancellationError`; then nothing stays published.
    public func publish(
        _ services: [GATTService],
        advertising advertisement: Advertisement?,
        options: PublicationOptions,
        responder: any GATTResponder
    ) async throws -> any Publication {
        try checkUsable()
        try advertisement?.validate()
        try check(services, options)
        publications.removeAll { publication in publication.assumeIsolated { $0.isOver } }
        let number = nextID()
        let name = String(path.lastComponent)
        let handles = ServiceHandles(for: services, on: name, besides: lastHandles)
        lastHandles = handles?.range
        let publication = PublishedServices(
            services,
            advertising: advertisement.map { makeAdvertisement($0, number) },
            hasSockets: options.contains(.individualNotifications),
            number: number,
            handles: handles,
            on: self,
            daemon: daemon ?? "",
            responder: responder,
            identify: { [weak self] path in
                self?.assumeIsolated { $0.peer(at: path) } ?? PeerID(rawValue: path.rawValue)
            }
        )
        publications.append(publication)
        try await publication.publish()
        tellConnectedPeers(to: publication)
        return publication
    }

    /// Tells a publication who is connected already: whom this adapter has called, and strangers, who may subscribe to anything.
    ///
    /// What bluetoothd is to remember, as mice and headsets, is the user's own, and most of it is no central.
    private func tellConnectedPeers(to publication: PublishedServices) {
        for path in connectedDevices.sorted(by: { $0.rawValue < $1.rawValue }) {
            let device = Device1(path: path, properties: mirror[path, Device1.interface] ?? .init())
            guard devices[path] != nil || !device.isKept else { continue }
            publication.assumeIsolated { $0.didConnect(device.peer, at: path) }
        }
    }

    /// Advertises, apart from what is served.
    ///
    /// It outlives the adapter's power: bluetoothd keeps it. It ends when the adapter is removed, or
    /// bluetoothd goes.
    ///
    /// D-Bus: `org.bluez.LEAdvertisingManager1.RegisterAdvertisement`. Source: BlueZ,
    /// doc/org.bluez.LEAdvertisingManager.rst.
    ///
    /// - Parameter advertisement: what to say; it is checked before anything is sent.
    /// - Returns: the advertisement's handle, once it is on the air.
    /// - Throws: `RadioError`, with `limitReached` when there are as many as the adapter takes;
    ///   `CancellationError`.
    public func advertise(_ advertisement: Advertisement) async throws -> any Advertising {
        try checkUsable()
        try advertisement.validate()
        // Those that are withdrawn need no room then.
        for advertisement in advertisements { await advertisement.waitUntilTakenBack() }
        // The adapter may have gone meanwhile, or have been closed.
        try checkUsable()
        advertisements.removeAll { advertisement in advertisement.assumeIsolated { $0.isOver } }
        let advertising = makeAdvertisement(advertisement, nextID())
        advertisements.append(advertising)
        do {
            try await advertising.start()
        } catch {
            // What is being registered is waited for when the adapter is closed.
            let reason = RadioError(.withdrawn, "advertising failed", underlying: error)
            await advertising.close(reason)
            throw error
        }
        return advertising
    }

    private func makeAdvertisement(
        _ advertisement: Advertisement,
        _ number: Int
    ) -> PublishedAdvertisement {
        PublishedAdvertisement(advertisement, number: number, on: self, daemon: daemon ?? "")
    }

    private func check(
        _ services: [GATTService],
        _ options: PublicationOptions
    ) throws(RadioError) {
        if options.contains(.individualNotifications),
            !capabilities.features.contains(.individualNotifications)
        {
            let system = capabilities.system ?? "this bluetoothd"
            throw RadioError(
                .unsupported,
                "\(system) notifies all subscribers; one central alone can be notified from BlueZ 5.82 on"
            )
        }
        guard !options.contains(.lostRefusals) else { return }
        for characteristic in services.flatMap(\.characteristics)
        where characteristic.properties.isSuperset(of: [.write, .writeWithoutResponse]) {
            throw RadioError(
                .unsupported,
                "publishing \(characteristic.uuid): a characteristic with both write and "
                    + "write-without-response loses its refusals in bluetoothd"
            )
        }
    }

    /// How many advertisements there are, for people; empty when that is not known.
    var advertisementCount: String {
        guard let active = advertisingManager.activeCount, let free = advertisingManager.freeCount
        else { return "" }
        return "; \(active) of \(active + free) advertisements are in use"
    }

    var advertisingManager: LEAdvertisingManager1 {
        LEAdvertisingManager1(
            path: path,
            properties: mirror[path, LEAdvertisingManager1.interface] ?? .init()
        )
    }

    /// The object of a peer that has a link, whoever made it.
    func connectedDevice(_ peer: PeerID) -> ObjectPath? {
        guard let path = path(of: peer) else { return nil }
        let device = Device1(path: path, properties: mirror[path, Device1.interface] ?? .init())
        return device.isConnected ? path : nil
    }

    /// The devices that are connected, whoever called; each may have subscribed.
    var connectedDevices: Set<ObjectPath> {
        let connected = mirror.objects(with: Device1.interface).filter { path, properties in
            path.isWithin(self.path)
                && Device1(path: path, properties: properties).isConnected
        }
        return Set(connected.map(\.path))
    }

    /// The MTU of the connection to a device, as its own characteristics show it.
    func mtuBytes(of device: ObjectPath) -> Int? {
        mirror.objects(with: GattCharacteristic1.interface).lazy
            .filter { $0.path.isWithin(device) }
            .compactMap { GattCharacteristic1(path: $0.path, properties: $0.properties).mtuBytes }
            .max()
    }

    private func peer(at path: ObjectPath) -> PeerID {
        Device1(path: path, properties: mirror[path, Device1.interface] ?? .init()).peer
    }
}
