internal import BLEDBus

/// What programs register: services, and advertisements.
///
/// Source: BlueZ, doc/gatt-api.txt, doc/advertising-api.txt.
extension VirtualDaemon {
    func registerApplication(on index: Int, _ call: MethodCall) {
        guard let root = call.arguments.first?.objectPath, let adapter = adapters[index] else {
            return
        }
        let id = RegisteredApplication.ID(owner: call.sender, root: root)
        guard !adapter.applications.contains(where: { $0.id == id }),
            adapters[index]?.pendingApplications.insert(id).inserted == true
        else { return call.fail(.alreadyExists) }
        bus.call(
            id.owner,
            at: id.root,
            "org.freedesktop.DBus.ObjectManager",
            "GetManagedObjects"
        ) { daemon, result in
            daemon.adapters[index]?.pendingApplications.remove(id)
            daemon.willAddApplication()
            // One that can't be asked has no objects.
            let objects = try? result.get().first
            do throws(ErrorReply) {
                daemon.add(try RegisteredApplication(id, objects: objects), to: index, call)
            } catch {
                call.fail(error)
            }
        }
    }

    private func add(_ application: RegisteredApplication, to index: Int, _ call: MethodCall) {
        guard let adapter = adapters[index] else { return }
        do throws(ErrorReply) {
            try adapters[index]?.table.add(application)
            adapters[index]?.applications.append(application)
            tellHandles(of: application, on: index)
            // Told before and, if they are others, after the reply, as the real one does.
            publishUUIDs(of: index)
            call.reply()
            if adapters[index]?.uuids != adapter.uuids { publishUUIDs(of: index) }
            servicesChanged(of: index, hasGrown: true)
        } catch {
            let left = adapters[index]?.table.services ?? []
            let lost = adapter.table.services.filter { !left.contains($0) }
            guard !lost.isEmpty else { return call.fail(error) }
            for service in lost { adapters[index]?.lose(service) }
            publishUUIDs(of: index)
            call.fail(error)
            publishUUIDs(of: index)
            servicesChanged(of: index, hasGrown: false)
        }
    }

    /// Tells objects the handles that they have, where they have a property for it and ask for none.
    ///
    /// Source: BlueZ, src/gatt-database.c, `write_handle`.
    private func tellHandles(of application: RegisteredApplication, on index: Int) {
        let services = adapters[index]?.table.services.filter { $0.application == application.id }
        for object in (services ?? []).flatMap(\.objects)
        where application.unnumberedObjects.contains(object.path) {
            bus.call(
                application.id.owner,
                at: object.path,
                "org.freedesktop.DBus.Properties",
                "Set",
                [
                    .string(object.interface), .string("Handle"),
                    .variant(.uint16(object.handle)),
                ]
            ) { _, _ in }
        }
    }

    func unregisterApplication(from index: Int, _ call: MethodCall) {
        let id = call.arguments.first?.objectPath.map {
            RegisteredApplication.ID(owner: call.sender, root: $0)
        }
        guard let id, adapters[index]?.applications.contains(where: { $0.id == id }) == true else {
            return call.fail(.doesNotExist)
        }
        remove([id], from: index) { call.reply() }
        servicesChanged(of: index, hasGrown: false)
    }

    /// Forgets the applications of a client that has left.
    ///
    /// - Returns: whether there were any; then centrals have to be told.
    func removeApplications(of client: String, from index: Int) -> Bool {
        let ids = adapters[index]?.applications.map(\.id).filter { $0.owner == client } ?? []
        guard !ids.isEmpty else { return false }
        remove(ids, from: index) {}
        return true
    }

    func remove(
        _ ids: [RegisteredApplication.ID],
        from index: Int,
        reply: () -> Void
    ) {
        let uuids = adapters[index]?.uuids
        adapters[index]?.applications.removeAll { ids.contains($0.id) }
        for id in ids { adapters[index]?.table.remove(id) }
        didRemove(ids, from: index)
        closeApplicationSockets(of: index)
        publishUUIDs(of: index)
        reply()
        if adapters[index]?.uuids != uuids { publishUUIDs(of: index) }
        failOperations(.requestNotSupported) { operation in
            operation.application.map(ids.contains) == true
        }
    }

    private func publishUUIDs(of index: Int) {
        guard let adapter = adapters[index] else { return }
        bus.change(["UUIDs": .strings(adapter.uuids)], of: InterfaceName.adapter1, at: adapter.path)
    }

    func changeServices(
        of index: Int,
        _ removed: Set<String>,
        _ restored: Set<String>,
        _ tellsPeers: Bool
    ) {
        guard var table = adapters[index]?.table else { return }
        let gone = table.hide(removed)
        table.show(restored, of: adapters[index]?.applications ?? [])
        adapters[index]?.table = table
        closeApplicationSockets(of: index)
        // What peers have of it is stale, as it is not served.
        guard tellsPeers else { return }
        let handles = Set(gone.flatMap(\.handles))
        failOperations(.requestNotSupported) {
            $0.device.peer == index && handles.contains($0.handle)
        }
        if !gone.isEmpty { servicesChanged(of: index, hasGrown: false) }
        if !restored.isEmpty { servicesChanged(of: index, hasGrown: true) }
    }

    // MARK: - Advertisements

    private static let tooMany = ErrorReply.notPermitted("Maximum advertisements reached")

    // MARK: - Coming

    func registerAdvertisement(on index: Int, _ call: MethodCall) {
        guard let path = call.arguments.first?.objectPath, let adapter = adapters[index] else {
            return
        }
        let id = RegisteredAdvertisement.ID(owner: call.sender, path: path)
        guard !adapter.advertisements.contains(where: { $0.id == id }),
            adapters[index]?.pendingAdvertisements.insert(id).inserted == true
        else { return call.fail(.alreadyExists) }
        guard adapter.advertisements.count < VirtualAdapter.maximumAdvertisements else {
            adapters[index]?.pendingAdvertisements.remove(id)
            return call.fail(Self.tooMany)
        }
        bus.call(
            id.owner,
            at: path,
            "org.freedesktop.DBus.ObjectManager",
            "GetManagedObjects"
        ) { daemon, _ in
            daemon.readAdvertisement(id, on: index, call)
        }
    }

    private func readAdvertisement(
        _ id: RegisteredAdvertisement.ID,
        on index: Int,
        _ call: MethodCall
    ) {
        bus.call(
            id.owner,
            at: id.path,
            "org.freedesktop.DBus.Properties",
            "GetAll",
            [.string(InterfaceName.advertisement1)]
        ) { daemon, result in
            daemon.adapters[index]?.pendingAdvertisements.remove(id)
            if case .failure(let error) = result, error.tellsLossOfPeer {
                // It would stay for ever: that its program has left was told before.
                return call.fail(error)
            }
            // One that can't be asked has no properties.
            let properties = try? result.get().first?.properties
            do throws(ErrorReply) {
                try daemon.addAdvertisement(id, properties ?? [:], to: index)
                call.reply()
                daemon.beginAdvertising(id, on: index)
            } catch {
                call.fail(error)
            }
        }
    }

    private func addAdvertisement(
        _ id: RegisteredAdvertisement.ID,
        _ properties: [String: Value],
        to index: Int
    ) throws(ErrorReply) {
        guard let adapter = adapters[index] else { throw .doesNotExist }
        guard adapter.advertisements.count < VirtualAdapter.maximumAdvertisements else {
            throw Self.tooMany
        }
        let advertisement = try RegisteredAdvertisement(
            id,
            properties,
            alias: adapter.alias,
            behavior
        )
        guard world.isPowered(index) else { throw .failed("Failed to register advertisement") }
        adapters[index]?.advertisements.append(advertisement)
        publishInstances(of: index)
    }

    private func beginAdvertising(_ id: RegisteredAdvertisement.ID, on index: Int) {
        let new = adapters[index]?.advertisements.first { $0.id == id }
        guard let new else { return }
        announce(new, from: index)
        retryConnecting(to: index)
        limit(new, on: index)
        limitDiscovery(of: new, on: index)
    }

    // MARK: - Changing

    /// Takes over what an application says its advertisement is now.
    func applicationChangedAdvertisement(_ signal: Message) {
        guard let path = signal.path, let owner = signal.sender, let body = try? signal.body(),
            body.count == 3
        else { return }
        let id = RegisteredAdvertisement.ID(owner: owner, path: path)
        let changed = (body[1].properties ?? [:]).sorted { $0.key < $1.key }
        for index in adapters.keys.sorted() {
            for (name, value) in changed { changeAdvertisement(id, on: index, name, to: value) }
            for name in body[2].strings ?? [] { changeAdvertisement(id, on: index, name, to: nil) }
        }
    }

    /// Changes one property; a value that is refused leaves all as it is.
    private func changeAdvertisement(
        _ id: RegisteredAdvertisement.ID,
        on index: Int,
        _ name: String,
        to value: Value?
    ) {
        guard let adapter = adapters[index],
            let place = adapter.advertisements.firstIndex(where: { $0.id == id }),
            let changed = try? adapter.advertisements[place]
                .changed(name, to: value, alias: adapter.alias, behavior)
        else { return }
        adapters[index]?.advertisements[place] = changed
        announce(changed, from: index)
        if name == "Timeout" { limit(changed, on: index) }
        if name == "DiscoverableTimeout" { limitDiscovery(of: changed, on: index) }
    }

    /// Sets when an advertisement ends.
    func limit(_ advertisement: RegisteredAdvertisement, on index: Int) {
        let end = Schedule.Event.advertisementEnd(advertisement.id, adapter: index)
        if let limit = advertisement.limit { set(end, after: limit) } else { cancel(end) }
    }

    /// Sets when an advertisement is discoverable no more.
    private func limitDiscovery(of advertisement: RegisteredAdvertisement, on index: Int) {
        let end = Schedule.Event.discoverableEnd(advertisement.id, adapter: index)
        let limit = advertisement.discoverableLimit
        if let limit { set(end, after: limit) } else { cancel(end) }
    }

    private func cancelLimits(of id: RegisteredAdvertisement.ID, on index: Int) {
        cancel(.advertisementEnd(id, adapter: index))
        cancel(.discoverableEnd(id, adapter: index))
    }

    func endBeingDiscoverable(_ id: RegisteredAdvertisement.ID, on index: Int) {
        guard let place = adapters[index]?.advertisements.firstIndex(where: { $0.id == id }) else {
            return
        }
        adapters[index]?.advertisements[place].endBeingDiscoverable()
    }

    // MARK: - Going

    /// Ends an advertisement whose time is over, and tells its application.
    func expireAdvertisement(_ id: RegisteredAdvertisement.ID, on index: Int) {
        release(id, on: index)
        removeAdvertisements(from: index) { $0 == id }
    }

    func unregisterAdvertisement(from index: Int, _ call: MethodCall) {
        let id = call.arguments.first?.objectPath.map {
            RegisteredAdvertisement.ID(owner: call.sender, path: $0)
        }
        guard let id, adapters[index]?.advertisements.contains(where: { $0.id == id }) == true
        else { return call.fail(.doesNotExist) }
        removeAdvertisements(from: index) { $0 == id }
        call.reply()
    }

    /// Forgets the advertisements of a client that has left.
    func removeAdvertisements(of client: String, from index: Int) {
        removeAdvertisements(from: index) { $0.owner == client }
    }

    func removeAdvertisements(
        from index: Int,
        where isGone: (RegisteredAdvertisement.ID) -> Bool
    ) {
        let gone = adapters[index]?.advertisements.map(\.id).filter(isGone) ?? []
        guard !gone.isEmpty else { return }
        for id in gone { cancelLimits(of: id, on: index) }
        adapters[index]?.advertisements.removeAll { gone.contains($0.id) }
        publishInstances(of: index)
    }

    /// Tells an application that its advertisement is no longer there.
    func release(_ id: RegisteredAdvertisement.ID, on index: Int) {
        cancelLimits(of: id, on: index)
        bus.call(id.owner, at: id.path, InterfaceName.advertisement1, "Release") { _, _ in }
    }

    private func publishInstances(of index: Int) {
        guard let adapter = adapters[index] else { return }
        let instances = DaemonBus.instances(adapter.advertisements.count)
        bus.change(
            instances.mapValues(Optional.some),
            of: InterfaceName.advertisingManager,
            at: adapter.path
        )
    }
}
