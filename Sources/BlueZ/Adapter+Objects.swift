internal import BLE
internal import BLEDBus
internal import Logging

/// Signals about bluetoothd's objects, and where they go.
extension Adapter {
    /// The object of an adapter.
    ///
    /// - Throws: ``RadioError`` with ``RadioError/Code/absent``, ``ErrorReply``, ``BusError``.
    static func path(of name: String?, on connection: Connection) async throws -> ObjectPath {
        // A name that no object can have is one that is not found below.
        if let name, let path = try? Adapter1.parent.appending(name) { return path }
        var mirror = ObjectMirror { $0 == Adapter1.interface }
        try mirror.load(await connection.call(.managedObjects))
        let found: Adapter1? =
            if let name {
                BluetoothAddress(name).flatMap { address in
                    Adapter1.all(in: mirror).first { $0.address == address }
                }
            } else {
                Adapter1.preferred(in: mirror)
            }
        guard let found else { throw absence(of: name, mirror) }
        return found.path
    }

    private static func absence(of name: String?, _ mirror: ObjectMirror) -> RadioError {
        let names = Adapter1.all(in: mirror).map(\.name)
        let known =
            names.isEmpty
            ? "this machine has no Bluetooth adapter"
            : "this machine has \(names.joined(separator: ", "))"
        guard let name else { return RadioError(.absent, known) }
        return RadioError(.absent, "there is no adapter '\(name)': \(known)")
    }

    /// Listens to bluetoothd, then asks for what there is.
    func start() async throws {
        await connection.onDisconnect { [weak self] error in
            self?.assumeIsolated { $0.loseBus(error) }
        }
        try await connection.watchOwner(of: "org.bluez") { [weak self] owner in
            self?.assumeIsolated { $0.changeOwner(to: owner) }
        }
        // bluetoothd signals objects at its root alone, and properties at the object that has them:
        // signals of other adapters' devices do not reach this program.
        let objects = MatchRule(
            sender: "org.bluez",
            interface: "org.freedesktop.DBus.ObjectManager",
            path: .root
        )
        try await connection.subscribe(to: objects) { [weak self] signal in
            self?.assumeIsolated { $0.receive(signal) }
        }
        try await subscribeToProperties()
        isStarted = true
        // Also when nobody owns the name: the bus may be able to start bluetoothd.
        try await load().wait()
        guard let properties = mirror[path, Adapter1.interface] else {
            throw Self.absence(of: name, mirror)
        }
        address = Adapter1(path: path, properties: properties).address
    }

    private func subscribeToProperties() async throws {
        let rule = MatchRule(
            sender: "org.bluez",
            interface: "org.freedesktop.DBus.Properties",
            pathNamespace: path
        )
        propertiesSubscription = try await connection.subscribe(to: rule) { [weak self] signal in
            self?.assumeIsolated { $0.receive(signal) }
        }
    }

    /// Before the next subscription: dbus-daemon takes rules that differ in their path_namespace alone
    /// for the same, and removes the last one that was added.
    private func unsubscribeFromProperties() async {
        guard let subscription = propertiesSubscription else { return }
        propertiesSubscription = nil
        await connection.unsubscribe(subscription)
    }

    /// Is the adapter that has come back under another name.
    private func follow() {
        guard let successor else { return }
        move(to: successor)
        // Ends with the bus's replies; one after the other, as each ends the subscription of the one before.
        following = Task { [weak self, following] in
            await following?.value
            do {
                await self?.unsubscribeFromProperties()
                try await self?.subscribeToProperties()
                // What was signalled before the bus knew of the subscription.
                try await self?.load().wait()
            } catch {
                self?.logger.warning("following an adapter to \(successor): \(error)")
            }
        }
    }

    private func load() -> Promise<Void> {
        let loaded = Promise<Void>()
        connection.request(.managedObjects, logger) { [weak self] result in
            self?.assumeIsolated { $0.didLoad(result, loaded) }
        }
        return loaded
    }

    private func didLoad(_ result: Result<Message, any Error>, _ loaded: Promise<Void>) {
        do {
            try mirror.load(result.get())
        } catch {
            // A bluetoothd that has just come up signals its objects, too.
            loaded.fail(error)
            return
        }
        follow()
        var known: [Device1] = []
        for (path, properties) in mirror.objects(with: Device1.interface) {
            if path.isWithin(self.path) {
                known.append(Device1(path: path, properties: properties))
            } else {
                mirror.remove(path, Device1.interface)
            }
        }
        sightings.load(known)
        forgetOldDevices()
        refreshState()
        loaded.fulfil()
    }

    private func changeOwner(to owner: String?) {
        let hadOwner = daemon != nil
        daemon = owner
        if hadOwner {
            _ = mirror.removeAll()
            isDiscoveryFilterSet = false
            refreshState()
        }
        if owner != nil, isStarted { _ = load() }
    }

    // MARK: - Signals

    private func receive(_ signal: Message) {
        guard let origin = signal.path, origin == .root || origin.isWithin(path) else { return }
        do {
            for change in try mirror.apply(signal) { handle(change) }
            fetchUnknown(signal)
        } catch {
            logger.warning("bluetoothd sent \(signal.callDescription): \(error)")
        }
    }

    func handle(_ change: ObjectMirror.Change) {
        let path = change.path
        guard path.isWithin(self.path) else {
            if change.interface == Adapter1.interface {
                follow()
                refreshState()
            } else {
                // Another adapter's.
                mirror.remove(path, change.interface)
            }
            return
        }
        for device in devices.values where path.isWithin(device.path) {
            let hasEnded = device.assumeIsolated { device in
                device.handle(change)
                return device.hasEnded
            }
            if hasEnded { devices[device.path] = nil }
        }
        switch change.interface {
        case Adapter1.interface:
            refreshState()
            if case .changed(_, _, let properties, _) = change,
                let isDiscovering = properties["Discovering"]?.bool
            {
                didChangeDiscovering(isDiscovering)
            }
        case Device1.interface: handleDevice(change)
        case GattCharacteristic1.interface where change.properties?["MTU"] != nil:
            for publication in publications {
                publication.assumeIsolated { $0.didShowMTU(at: path) }
            }
        default: break
        }
    }

    private func handleDevice(_ change: ObjectMirror.Change) {
        let path = change.path
        let device = Device1(path: path, properties: mirror[path, Device1.interface] ?? .init())
        switch change {
        case .added:
            if sightings.add(device) { didDiscover(device) }
            forgetOldDevices()
            if device.isConnected { didConnect(device) }
        case .changed(_, _, let properties, _):
            let changes = Device1(path: path, properties: properties)
            if sightings.change(changes, of: device) { didDiscover(device) }
            guard let isConnected = properties["Connected"]?.bool else { return }
            if isConnected { didConnect(device) } else { didDisconnect(path) }
        case .removed:
            sightings.remove(path)
            for id in scans.keys { scans[id]?.forget(path) }
            didDisconnect(path)
        }
    }

    private func didDiscover(_ device: Device1) {
        guard !scans.isEmpty else { return }
        let sighting = sightings.sighting(of: device)
        for id in scans.keys { scans[id]?.report(sighting, at: device.path) }
        forgetIfStale(device, sighting)
    }

    private func didConnect(_ device: Device1) {
        for id in scans.keys { scans[id]?.didConnect(device.path) }
        for publication in publications {
            publication.assumeIsolated { $0.didConnect(device.peer, at: device.path) }
        }
    }

    private func didDisconnect(_ path: ObjectPath) {
        linkEnds = linkEnds.filter { $0.value() < recovery.linkPause }
        linkEnds[path] = recovery.stopwatch()
        // It goes with the link; neither that nor the next link's is signalled.
        mirror.forget("MTU", of: GattCharacteristic1.interface, within: path)
        for promise in disconnectionWaiters.removeValue(forKey: path) ?? [] { promise.fulfil() }
        for publication in publications {
            publication.assumeIsolated { $0.didDisconnect(path) }
        }
    }
}

extension ObjectMirror.Change {
    /// The object.
    var path: ObjectPath {
        switch self {
        case .added(let path, _, _), .changed(let path, _, _, _), .removed(let path, _): path
        }
    }

    /// The properties that are new.
    var properties: PropertyMap? {
        switch self {
        case .added(_, _, let properties), .changed(_, _, let properties, _): properties
        case .removed: nil
        }
    }

    /// The interface.
    var interface: String {
        switch self {
        case .added(_, let interface, _), .changed(_, let interface, _, _),
            .removed(_, let interface):
            interface
        }
    }
}
