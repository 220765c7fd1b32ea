internal import DBus

/// What adapters know of their peers: devices, and the services below them.
extension VirtualDaemon {
    func device(_ id: DeviceID) -> VirtualDevice? {
        adapters[id.adapter]?.devices[id.peer]
    }

    /// The devices that an adapter knows, in order.
    func devices(of index: Int) -> [DeviceID] {
        (adapters[index]?.devices.keys.sorted() ?? []).map { DeviceID(adapter: index, peer: $0) }
    }

    /// Makes a device's object, with properties that are known beside those that all have.
    func addDevice(_ id: DeviceID, _ known: [String: Value]) {
        guard let adapter = adapters[id.adapter] else { return }
        let address = id.peerAddress
        let device = VirtualDevice(id, address: address.text, below: adapter.path)
        adapters[id.adapter]?.devices[id.peer] = device
        let interfaces = bus.device1(
            device,
            below: adapter.path,
            addressType: address.type,
            name: storage.advertisedNames[id],
            known
        )
        bus.export(interfaces, at: device.path)
    }

    /// Changes what is known of a device, if it is there.
    func modify(_ id: DeviceID, _ change: (inout VirtualDevice) -> Void) {
        guard var device = device(id) else { return }
        change(&device)
        adapters[id.adapter]?.devices[id.peer] = device
    }

    func setDeviceProperty(
        _ id: DeviceID,
        _ property: String,
        _ value: Value,
        _ call: MethodCall
    ) {
        guard let device = device(id) else { return }
        defer { call.reply() }
        var value = value
        if property == "Alias" {
            modify(id) { $0.hasAlias = value.string != "" }
            if value.string == "" {
                value =
                    bus.value("Name", of: InterfaceName.device1, at: device.path)
                    ?? .string(device.addressWithDashes)
            }
        }
        guard bus.value(property, of: InterfaceName.device1, at: device.path) != value else {
            return
        }
        if property == "Trusted" {
            modify(id) { $0.isTrusted = value == .bool(true) }
            postponeRemoval(of: id)
        }
        bus.change([property: value], of: InterfaceName.device1, at: device.path)
    }

    // MARK: - Services

    /// Finds out both ends' services, the peripheral's side first.
    func resolve(_ id: DeviceID) {
        guard canTransmit(id) else { return giveUpResolving(id) }
        transmit(id.opposite) { daemon in
            daemon.finishResolving(id.opposite)
            daemon.finishResolving(id)
        }
    }

    /// Lets a link end that was made with a host that does not respond.
    private func giveUpResolving(_ id: DeviceID) {
        guard faults.unresponsiveHosts.contains(id.peer) else { return }
        set(.abandonment(id), after: timing.requestLimit + timing.disconnecting)
    }

    func resumeResolving(_ id: DeviceID) {
        guard schedule.contains(.abandonment(id)), isConnected(id),
            !hasResolvedServices(of: id)
        else { return }
        cancel(.abandonment(id))
        resolve(id)
    }

    private func finishResolving(_ id: DeviceID) {
        guard let device = device(id), isConnected(id), !hasResolvedServices(of: id),
            let table = adapters[id.peer]?.table
        else { return }
        let fault = faults.resolutions.next(of: id)
        guard fault != .never else { return }
        world.links[id.adapter, id.peer]?[id.adapter].hasResolvedServices = true
        modify(id) { $0.wasResolved = true }
        if fault == .early {
            after(timing.resolving) { $0.finishEarlyResolving(id) }
        } else if !device.wasCalledByBoth {
            takeServices(table, of: id)
        }
        let uuids = uuids(table, of: id)
        var changes: [String: Value?] = ["ServicesResolved": .bool(true)]
        if bus.value("UUIDs", of: InterfaceName.device1, at: device.path) != uuids {
            changes["UUIDs"] = uuids
        }
        bus.change(changes, of: InterfaceName.device1, at: device.path)
        if fault == nil, device.services.isEmpty || behavior.readsNamesOnEachLink { readNames(id) }
        // Seen of all releases: over such a link the objects come last.
        if fault == nil, device.wasCalledByBoth { takeServices(table, of: id) }
    }

    /// Makes the objects that `ServicesResolved` has told of before they were there.
    private func finishEarlyResolving(_ id: DeviceID) {
        guard let device = device(id), hasResolvedServices(of: id),
            let table = adapters[id.peer]?.table
        else { return }
        takeServices(table, of: id)
        if device.services.isEmpty || behavior.readsNamesOnEachLink { readNames(id) }
    }

    /// What a device lists: its services, and where the release keeps them those it advertised.
    func uuids(_ table: AttributeTable, of id: DeviceID) -> Value {
        let advertised = behavior.keepsAdvertisedUUIDs ? device(id)?.advertisedUUIDs ?? [] : []
        return .strings(advertised.union(table.uuids).sorted())
    }

    private func readNames(_ id: DeviceID) {
        guard let device = device(id), let name = adapters[id.peer]?.alias else { return }
        func tell(_ changes: [String: Value?]) {
            let news = changes.filter {
                $0.value != bus.value($0.key, of: InterfaceName.device1, at: device.path)
            }
            bus.change(news, of: InterfaceName.device1, at: device.path)
        }
        var changes: [String: Value?] = ["Name": .string(name)]
        if !device.hasAlias { changes["Alias"] = .string(name) }
        tell(changes)
        tell(["Modalias": .string(bus.modalias)])
    }

    /// Lets all that are connected to an adapter find out that its services are others.
    ///
    /// Services that came are told in another order than services that went.
    func servicesChanged(of peer: Int, hasGrown: Bool) {
        for index in adapters.keys.sorted() {
            let id = DeviceID(adapter: index, peer: peer)
            guard let device = device(id), hasResolvedServices(of: id),
                let table = adapters[peer]?.table
            else { continue }
            if !hasGrown {
                // What it no longer has goes, advertised or not.
                let gone = Set(device.services.map(\.uuid)).subtracting(table.uuids)
                modify(id) { $0.advertisedUUIDs.subtract(gone) }
            }
            let uuids: [String: Value?] = ["UUIDs": uuids(table, of: id)]
            if hasGrown { bus.change(uuids, of: InterfaceName.device1, at: device.path) }
            takeServices(table, of: id)
            if !hasGrown { bus.change(uuids, of: InterfaceName.device1, at: device.path) }
        }
    }

    /// Makes the objects below a device those of the peer's table.
    private func takeServices(_ table: AttributeTable, of id: DeviceID) {
        guard let device = device(id) else { return }
        let services = table.discovered(withGenericAccess: behavior.showsGenericAccess)
        // The daemon's own services stay what they are but for the hash in one of them.
        let key = { (service: VirtualService) in "\(service.handle) \(service.uuid)" }
        let known = Set(device.services.map(key))
        let found = Set(services.map(key))
        var gone = device.services.filter { !found.contains(key($0)) }
        var new = services.filter { !known.contains(key($0)) }
        if behavior.tellsChangedServicesInReverse, !known.isEmpty {
            gone.reverse()
            new.reverse()
        }
        removeServices(gone, of: id)
        modify(id) { $0.services = services }
        for service in new {
            exportService(service, of: id, below: device.path)
        }
    }

    private func exportService(_ service: VirtualService, of id: DeviceID, below device: ObjectPath)
    {
        let path = service.path(below: device)
        let mtu = limits(of: id).mtu
        modify(id) { $0.servicesOfLink.insert(service.handle) }
        bus.export([bus.gattService(service, device: device)], at: path)
        for characteristic in service.characteristics {
            let characteristicPath = characteristic.path(below: path)
            bus.export(
                [bus.gattCharacteristic(characteristic, of: id, service: path, mtu: mtu)],
                at: characteristicPath
            )
            for descriptor in characteristic.descriptors {
                let path = descriptor.path(below: characteristicPath)
                bus.export(
                    [bus.gattDescriptor(descriptor, of: id, characteristic, at: path)],
                    at: path
                )
            }
        }
    }

    /// Takes the objects of services away, what lies deeper first.
    func removeServices(_ services: [VirtualService], of id: DeviceID) {
        guard let device = device(id) else { return }
        for service in services {
            let path = service.path(below: device.path)
            for characteristic in service.characteristics {
                let characteristicPath = characteristic.path(below: path)
                for descriptor in characteristic.descriptors {
                    bus.unexport(descriptor.path(below: characteristicPath))
                }
                bus.unexport(characteristicPath)
                device.sockets.values.forEach { $0[characteristic.handle]?.close() }
                modify(id) { device in
                    device.subscribers[characteristic.handle] = nil
                    for use in device.sockets.keys {
                        device.sockets[use]?[characteristic.handle] = nil
                    }
                }
            }
            bus.unexport(path)
        }
        let gone = Set(services.map(\.handle))
        modify(id) { device in
            device.services.removeAll { gone.contains($0.handle) }
            device.servicesOfLink.subtract(gone)
        }
    }

    // MARK: - Removal

    /// Lets a device that is neither connected nor trusted be forgotten some time from now.
    func postponeRemoval(of id: DeviceID) {
        guard let device = device(id), !isConnected(id), device.connectCall == nil,
            !device.isTrusted, !(behavior.keepsCentrals && device.hasCalled)
        else { return cancel(.removal(id)) }
        set(.removal(id), after: timing.removal)
    }

    /// Forgets a device: all below it goes, then it itself.
    func remove(_ id: DeviceID) {
        guard let device = device(id) else { return }
        for event in [
            Schedule.Event.connection(id), .connectionFailure(id), .resolution(id),
            .disconnection(id), .removal(id),
        ] {
            cancel(event)
        }
        removeServices(device.services, of: id)
        bus.unexport(device.path)
        adapters[id.adapter]?.devices[id.peer] = nil
        device.connectCall?.fail(.failed("br-connection-canceled"))
        for call in device.disconnectCalls + [device.removeCall].compactMap(\.self) {
            call.reply()
        }
    }

    /// Stores what is known of a device that was connected, for its adapter's return.
    func store(_ id: DeviceID) {
        guard let device = device(id), device.wasConnected else { return }
        let names = ["Name", "Alias", "UUIDs", "Modalias"]
        let values = names.map { ($0, bus.value($0, of: InterfaceName.device1, at: device.path)) }
        storage.properties[id] = Dictionary(uniqueKeysWithValues: values).compactMapValues(\.self)
    }

    func removeDevice(from index: Int, _ call: MethodCall) {
        let path = call.arguments.first?.objectPath
        guard let device = adapters[index]?.devices.values.first(where: { $0.path == path })
        else { return call.fail(.doesNotExist) }
        modify(device.id) { $0.removeCall = call }
        if isConnected(device.id) {
            beginDisconnecting(device.id)
        } else {
            remove(device.id)
        }
    }

    func forgetDevices(of index: Int) {
        for id in devices(of: index) {
            guard let device = device(id), !isConnected(id), device.connectCall == nil,
                !device.isTrusted
            else { continue }
            remove(id)
        }
    }
}
