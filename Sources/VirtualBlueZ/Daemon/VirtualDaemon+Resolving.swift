internal import DBus

/// How the services of a peer become objects.
extension VirtualDaemon {
    /// Finds out both ends' services, the peripheral's side first.
    func resolve(_ id: DeviceID) {
        guard !isSilent(id) else { return giveUpResolving(id) }
        travel(id.mirrored) { daemon in
            daemon.finishResolving(id.mirrored)
            daemon.finishResolving(id)
        }
    }

    /// Lets a link end that was made with a host that says nothing.
    private func giveUpResolving(_ id: DeviceID) {
        guard faults.silentHosts.contains(id.peer) else { return }
        set(.abandonment(id), after: timing.requestLimit + timing.disconnecting)
    }

    private func finishResolving(_ id: DeviceID) {
        guard let device = device(id), device.isConnected, !device.isResolved,
            let table = adapters[id.peer]?.table
        else { return }
        let fault = faults.resolutions.next(of: id)
        guard fault != .never else { return }
        modify(id) { $0.isResolved = true }
        if fault == .early {
            after(timing.resolving) { $0.finishEarlyResolving(id) }
        } else {
            takeServices(table, of: id)
        }
        let uuids = Value.strings(table.uuids)
        var changes: [String: Value?] = ["ServicesResolved": .bool(true)]
        if value("UUIDs", of: Self.device1, at: device.path) != uuids { changes["UUIDs"] = uuids }
        change(changes, of: Self.device1, at: device.path)
        // What is known from an earlier connection is not read again.
        if device.services.isEmpty, fault == nil { readNames(id) }
    }

    /// Makes the objects that `ServicesResolved` has told of before they were there.
    private func finishEarlyResolving(_ id: DeviceID) {
        guard let device = device(id), device.isResolved, let table = adapters[id.peer]?.table
        else { return }
        takeServices(table, of: id)
        if device.services.isEmpty { readNames(id) }
    }

    private func readNames(_ id: DeviceID) {
        guard let device = device(id), let name = adapters[id.peer]?.alias else { return }
        func tell(_ changes: [String: Value?]) {
            let news = changes.filter {
                $0.value != value($0.key, of: Self.device1, at: device.path)
            }
            change(news, of: Self.device1, at: device.path)
        }
        var changes: [String: Value?] = ["Name": .string(name)]
        if !device.hasAlias { changes["Alias"] = .string(name) }
        tell(changes)
        tell(["Modalias": .string(modalias)])
    }

    /// Lets all that are connected to an adapter find out that its services are others.
    ///
    /// Services that came are told in another order than services that went.
    func tellServicesChanged(of peer: Int, hasGrown: Bool) {
        for index in adapters.keys.sorted() {
            let id = DeviceID(adapter: index, peer: peer)
            guard let device = device(id), device.isResolved, let table = adapters[peer]?.table
            else { continue }
            let uuids: [String: Value?] = ["UUIDs": .strings(table.uuids)]
            if hasGrown { change(uuids, of: Self.device1, at: device.path) }
            takeServices(table, of: id)
            if !hasGrown { change(uuids, of: Self.device1, at: device.path) }
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
        removeServices(device.services.filter { !found.contains(key($0)) }, of: id)
        modify(id) { $0.services = services }
        for service in services where !known.contains(key(service)) {
            export(service, of: id, below: device.path)
        }
    }

    private func export(_ service: VirtualService, of id: DeviceID, below device: ObjectPath) {
        let path = service.path(below: device)
        export([gattService(service, device: device)], at: path)
        for characteristic in service.characteristics {
            let characteristicPath = characteristic.path(below: path)
            export(
                [gattCharacteristic(characteristic, of: id, service: path)],
                at: characteristicPath
            )
            for descriptor in characteristic.descriptors {
                let path = descriptor.path(below: characteristicPath)
                export([gattDescriptor(descriptor, of: id, characteristic, at: path)], at: path)
            }
        }
    }

    private func gattService(
        _ service: VirtualService,
        device: ObjectPath
    ) -> ExportedInterface {
        ExportedInterface(
            "org.bluez.GattService1",
            properties: [
                .init("UUID", "s"), .init("Device", "o"), .init("Primary", "b"),
                .init("Includes", "ao"), .init("Handle", "q"),
            ],
            values: handle(service.handle).merging([
                "UUID": .string(service.uuid),
                "Device": .objectPath(device),
                "Primary": .bool(service.isPrimary),
                "Includes": .array(of: "o", []),
            ]) { $1 }
        )
    }

    /// The property of an attribute's object that says where it stands in the table.
    func handle(_ handle: UInt16) -> [String: Value] {
        behavior.showsHandles ? ["Handle": .uint16(handle)] : [:]
    }

    /// Takes the objects of services away, what lies deeper first.
    func removeServices(_ services: [VirtualService], of id: DeviceID) {
        guard let device = device(id) else { return }
        for service in services {
            let path = service.path(below: device.path)
            for characteristic in service.characteristics {
                let characteristicPath = characteristic.path(below: path)
                for descriptor in characteristic.descriptors {
                    unexport(descriptor.path(below: characteristicPath))
                }
                unexport(characteristicPath)
                device.sockets.values.forEach { $0[characteristic.handle]?.close() }
                modify(id) { device in
                    device.subscribers[characteristic.handle] = nil
                    for use in device.sockets.keys {
                        device.sockets[use]?[characteristic.handle] = nil
                    }
                }
            }
            unexport(path)
        }
        let gone = Set(services.map(\.handle))
        modify(id) { $0.services.removeAll { gone.contains($0.handle) } }
    }
}
