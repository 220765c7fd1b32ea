internal import BLEDBus

/// What adapters find of the services of their peers.
extension VirtualDaemon {
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
        guard device(id) != nil, isConnected(id), !hasResolvedServices(of: id),
            let table = shownTable(of: id)
        else { return }
        let fault = faults.resolutions.next(of: id)
        switch fault?.kind {
        case .never: return
        case .late(let delay): after(delay, over: id) { $0.showServices(table, of: id, nil) }
        case .early, nil: showServices(table, of: id, fault)
        }
    }

    /// What an adapter takes a device to serve.
    private func shownTable(of id: DeviceID) -> AttributeTable? {
        faults.keptTables[id] ?? adapters[id.peer]?.table
    }

    /// Whether an attribute that an adapter takes a device to have is not there.
    func isStale(_ handle: UInt16, of id: DeviceID) -> Bool {
        let isShown = device(id)?.services.contains { service in
            service.application != nil && service.handles.contains(handle)
        }
        return isShown == true && adapters[id.peer]?.table.serves(handle) == false
    }

    private func showServices(
        _ table: AttributeTable,
        of id: DeviceID,
        _ fault: ServiceResolution?
    ) {
        guard let device = device(id), isConnected(id), !hasResolvedServices(of: id) else { return }
        world.links[id.adapter, id.peer]?[id.adapter].hasResolvedServices = true
        modify(id) { $0.wasResolved = true }
        forgetAdvertised(notIn: table, of: id)
        if fault == .early {
            after(timing.resolving, over: id) { $0.finishEarlyResolving(id) }
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
            let table = shownTable(of: id)
        else { return }
        takeServices(table, of: id)
        if device.services.isEmpty || behavior.readsNamesOnEachLink { readNames(id) }
    }

    /// What a device lists: its services, and where the release keeps them those it advertised.
    func uuids(_ table: AttributeTable, of id: DeviceID) -> Value {
        let device = device(id)
        let advertised = behavior.keepsAdvertisedUUIDs ? device?.advertisedUUIDs ?? [] : []
        let kept = device?.knownHash == table.hash ? device?.services.map(\.uuid) ?? [] : []
        return .strings(advertised.union(table.uuids).union(kept).sorted())
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
        let changes = adapters[peer]?.takeServiceChanges() ?? []
        for index in adapters.keys.sorted() {
            let id = DeviceID(adapter: index, peer: peer)
            guard let device = device(id), hasResolvedServices(of: id),
                faults.keptTables[id] == nil, let table = adapters[peer]?.table
            else { continue }
            guard !device.missesServiceChanged else {
                modify(id) { $0.isOutOfSync = true }
                continue
            }
            for change in changes { indicateServiceChanged(change, to: id) }
            if !hasGrown { forgetAdvertised(notIn: table, of: id) }
            let uuids = uuids(table, of: id)
            if hasGrown { tellUUIDs(uuids, at: device.path) }
            takeServices(table, of: id)
            if !hasGrown { tellUUIDs(uuids, at: device.path) }
        }
    }

    /// Drops what a peer no longer has, advertised or not, unless the Database Hash is the one that is known.
    private func forgetAdvertised(notIn table: AttributeTable, of id: DeviceID) {
        guard let device = device(id), device.knownHash != table.hash else { return }
        let gone = Set(device.services.map(\.uuid)).subtracting(table.uuids)
        modify(id) { $0.advertisedUUIDs.subtract(gone) }
    }

    /// Passes Service Changed on to the clients at a central that listen to it themselves.
    private func indicateServiceChanged(_ handles: Range<Int>, to id: DeviceID) {
        let characteristics = device(id)?.services.flatMap(\.characteristics) ?? []
        guard let found = characteristics.first(where: { $0.uuid == AttributeTable.serviceChanged })
        else { return }
        let bounds = [handles.lowerBound, handles.upperBound - 1]
        let value = bounds.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        deliver(value, from: found.handle, of: id)
    }

    private func tellUUIDs(_ uuids: Value, at path: ObjectPath) {
        guard bus.value("UUIDs", of: InterfaceName.device1, at: path) != uuids else { return }
        bus.change(["UUIDs": uuids], of: InterfaceName.device1, at: path)
    }

    /// Makes the objects below a device those of the peer's table.
    ///
    /// Where the Database Hash is the one that is known, what has gone keeps its objects, unless others have its handles.
    private func takeServices(_ table: AttributeTable, of id: DeviceID) {
        guard let device = device(id) else { return }
        let services = table.discovered(withGenericAccess: behavior.showsGenericAccess)
        // The daemon's own services stay what they are but for the hash in one of them.
        let known = Set(device.services.map(\.attributes))
        let found = Set(services.map(\.attributes))
        var gone = device.services.filter { !found.contains($0.attributes) }
        var new = services.filter { !known.contains($0.attributes) }
        if behavior.tellsChangedServicesInReverse, !known.isEmpty {
            gone.reverse()
            new.reverse()
        }
        let kept = gone.filter { service in
            device.knownHash == table.hash && !new.contains { $0.range.overlaps(service.range) }
        }
        removeServices(gone.filter { !kept.contains($0) }, of: id)
        modify(id) { device in
            device.services = (services + kept).sorted { $0.handle < $1.handle }
            device.knownHash = table.hash
        }
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
}
