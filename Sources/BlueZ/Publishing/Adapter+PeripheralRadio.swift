public import BLE
internal import DBus

extension Adapter {
    /// Serves a service and advertises it.
    ///
    /// The publication outlives the adapter's power: bluetoothd keeps it, and serves again when the
    /// power is back. It ends when the adapter is removed, or bluetoothd goes.
    ///
    /// A characteristic that can be written both with and without a response is refused: bluetoothd
    /// acknowledges its writes before it asks, and so loses every refusal.
    ///
    /// D-Bus: `org.bluez.GattManager1.RegisterApplication`,
    /// `org.bluez.LEAdvertisingManager1.RegisterAdvertisement`. Source: BlueZ,
    /// doc/org.bluez.GattManager.rst, doc/org.bluez.LEAdvertisingManager.rst.
    ///
    /// - Parameters:
    ///   - service: what to serve.
    ///   - advertisement: what to say of it; it is checked before anything is sent.
    ///   - responder: who answers reads and writes; called on no particular thread, one call at a
    ///     time. What it has not answered after 4 s is refused in its place.
    /// - Returns: the publication, once centrals can see it.
    /// - Throws: `RadioError`, `CancellationError`; then nothing stays published.
    public func publish(
        _ service: GATTService,
        advertising advertisement: Advertisement,
        responder: any GATTResponder
    ) async throws -> any Publication {
        try checkUsable()
        try advertisement.validate()
        try Self.check(service)
        publications.removeAll { publication in publication.assumeIsolated { $0.hasEnded } }
        let publication = PublishedService(
            service,
            number: nextID(),
            on: self,
            daemon: daemon ?? "",
            responder: responder,
            identify: { [weak self] path in
                self?.assumeIsolated { $0.peer(at: path) } ?? PeerID(rawValue: path.rawValue)
            }
        )
        publications.append(publication)
        try await publication.publish(advertisement)
        return publication
    }

    private static func check(_ service: GATTService) throws(RadioError) {
        for characteristic in service.characteristics
        where characteristic.properties.isSuperset(of: [.write, .writeWithoutResponse]) {
            throw RadioError(
                .failed,
                "publishing \(characteristic.uuid): a characteristic with both write and "
                    + "write-without-response loses its refusals in bluetoothd"
            )
        }
    }

    /// The object of a peer that has a link, whoever made it.
    func connectedDevice(_ peer: PeerID) -> ObjectPath? {
        guard let path = path(of: peer) else { return nil }
        let device = Device1(path: path, properties: mirror[path, Device1.interface] ?? .init())
        return device.isConnected ? path : nil
    }

    private func peer(at path: ObjectPath) -> PeerID {
        Device1(path: path, properties: mirror[path, Device1.interface] ?? .init()).peer
    }
}
