internal import BLEDBus

/// Scans: who asks for them, and what is received.
extension VirtualDaemon {
    func setDiscoveryFilter(on index: Int, _ call: MethodCall) {
        guard world.isPowered(index) else { return call.fail(.notReady) }
        do {
            let properties = call.arguments.first?.properties ?? [:]
            let filter = try DiscoveryFilter.parse(properties, behavior)
            adapters[index]?.discovery.setFilter(filter, of: call.sender)
            call.reply()
        } catch {
            call.fail(error)
        }
    }

    func startDiscovery(on index: Int, _ call: MethodCall) {
        guard let adapter = adapters[index], world.isPowered(index) else {
            return call.fail(.notReady)
        }
        do throws(ErrorReply) {
            guard try adapters[index]?.discovery.start(call.sender) == .begins else {
                return call.reply()
            }
        } catch {
            return call.fail(error)
        }
        // Who called just before gets no reply any more.
        if let overtaken = adapter.startingCall { unansweredCalls.append(overtaken) }
        adapters[index]?.startingCall = call
        guard timing.startingDiscovery > .zero else { return finishStartingDiscovery(on: index) }
        set(.discoveryStart(adapter: index), after: timing.startingDiscovery)
    }

    /// The controller scans.
    func finishStartingDiscovery(on index: Int) {
        guard let adapter = adapters[index], adapter.discovery.isStarting else { return }
        adapters[index]?.discovery.didStart()
        adapters[index]?.startingCall = nil
        adapter.startingCall?.reply()
        bus.change(["Discovering": .bool(true)], of: InterfaceName.adapter1, at: adapter.path)
        let delay = world.air.firstReport(to: index, within: timing.firstReport)
        guard delay > .zero else { return report(to: index) }
        set(.advertisingReport(adapter: index), after: delay)
    }

    /// Gives up to start a discovery, as the adapter goes off.
    func abandonStartingDiscovery(on index: Int) {
        cancel(.discoveryStart(adapter: index))
        adapters[index]?.startingCall?.fail(.alreadyInProgress)
        adapters[index]?.startingCall = nil
        adapters[index]?.discovery.stopAll()
    }

    func stopDiscovery(on index: Int, _ call: MethodCall) {
        guard world.isPowered(index) else { return call.fail(.notReady) }
        do throws(ErrorReply) {
            let end = try adapters[index]?.discovery.stop(call.sender)
            if end == .stopsBeforeReply { stopListening(on: index) }
            call.reply()
            if end == .stops { stopListening(on: index) }
        } catch {
            call.fail(error)
        }
    }

    /// Forgets the discovery and the filter of a client that has left.
    func endDiscovery(of client: String, on index: Int) {
        if adapters[index]?.startingCall?.sender == client { adapters[index]?.startingCall = nil }
        guard adapters[index]?.discovery.remove(client) == true else { return }
        stopListening(on: index)
    }

    private func stopListening(on index: Int) {
        guard let adapter = adapters[index] else { return }
        cancel(.advertisingReport(adapter: index))
        cancel(.discoveryStart(adapter: index))
        clearSightings(of: index)
        if faults.forgetfulAdapters.contains(index) { forgetDevices(of: index) }
        bus.change(["Discovering": .bool(false)], of: InterfaceName.adapter1, at: adapter.path)
    }

    /// Takes the signal strength, and the transmit power, from all devices.
    func clearSightings(of index: Int) {
        let devices = adapters[index]?.devices.values.sorted { $0.id.peer < $1.id.peer } ?? []
        for device in devices {
            let told = ["RSSI", "TxPower"].filter {
                bus.value($0, of: InterfaceName.device1, at: device.path) != nil
            }
            let changes = told.map { ($0, Value?.none) }
            bus.change(
                Dictionary(uniqueKeysWithValues: changes),
                of: InterfaceName.device1,
                at: device.path
            )
        }
    }

    // MARK: - Reports

    /// Tells an adapter that listens what is being advertised, now and again after a while.
    func report(to index: Int) {
        guard let adapter = adapters[index], world.isPowered(index), adapter.discovery.isListening
        else {
            return
        }
        // Before anything is said: whoever receives it may move the clock.
        set(.advertisingReport(adapter: index), after: timing.advertisingInterval)
        for peer in adapters.values.sorted(by: { $0.index < $1.index }) {
            for advertisement in peer.advertisements {
                report(advertisement, from: peer.index, to: index)
            }
        }
        reportPassersby(to: index)
    }

    /// Tells all adapters that listen of a new advertisement.
    func announce(_ advertisement: RegisteredAdvertisement, from peer: Int) {
        for index in adapters.keys.sorted() where adapters[index]?.discovery.isListening == true {
            report(advertisement, from: peer, to: index)
        }
    }

    func report(
        _ advertisement: RegisteredAdvertisement,
        from peerIndex: Int,
        to index: Int
    ) {
        guard world.isPowered(peerIndex),
            let rssi = world.air.rssi(between: index, and: peerIndex),
            !world.air.losesReport(from: peerIndex, to: index)
        else { return }
        report(advertisement, from: DeviceID(adapter: index, peer: peerIndex), rssi)
    }

    /// Tells an adapter that listens who has passed by since it was told last.
    func reportPassersby(to index: Int) {
        let received = world.air.crowds[index]?.receive(for: timing.advertisingInterval) ?? []
        for passerby in received {
            let id = DeviceID(adapter: index, peer: Crowd.firstPeer + passerby.number)
            report(passerby.advertisement, from: id, passerby.rssi)
        }
    }

    /// Reports an advertisement to an adapter that receives it.
    func report(_ advertisement: RegisteredAdvertisement, from id: DeviceID, _ rssi: Int16) {
        guard let adapter = adapters[id.adapter] else { return }
        if behavior.diesOfFilteredUUIDs, adapter.discovery.looksForServices,
            !advertisement.serviceUUIDs.isEmpty
        {
            return set(.crash, after: .zero)
        }
        let isReported = adapter.discovery.reports(
            advertisement,
            from: id.peerAddress.text,
            rssi: rssi,
            countingTransport: behavior.filtersByTransportAlone
        )
        guard isReported else {
            if behavior.showsUndiscoverable { addUndiscoverable(advertisement, from: id) }
            return
        }
        if let device = adapter.devices[id.peer] {
            update(device, from: advertisement, rssi)
        } else {
            addDevice(id, advertisement.properties(rssi, behavior))
            modify(id) { $0.advertisedUUIDs = advertisement.services(behavior) }
        }
        storage.advertisedNames[id] = advertisement.name ?? storage.advertisedNames[id]
        postponeRemoval(of: id)
    }

    /// Adds a device of which nothing is shown but its address.
    private func addUndiscoverable(_ advertisement: RegisteredAdvertisement, from id: DeviceID) {
        guard adapters[id.adapter]?.discovery.isUnfiltered == true else { return }
        if device(id) == nil { addDevice(id, [:]) }
        storage.advertisedNames[id] = advertisement.name ?? storage.advertisedNames[id]
        postponeRemoval(of: id)
    }

    private func update(
        _ device: VirtualDevice,
        from advertisement: RegisteredAdvertisement,
        _ rssi: Int16
    ) {
        var changes = advertisement.properties(rssi, behavior)
        let known = bus.value("UUIDs", of: InterfaceName.device1, at: device.path)?.strings ?? []
        let advertised = device.wasResolved ? [] : advertisement.services(behavior)
        // Of thousands of devices each is heard many times a second.
        if !device.advertisedUUIDs.isSuperset(of: advertised) {
            modify(device.id) { $0.advertisedUUIDs.formUnion(advertised) }
        }
        changes["UUIDs"] = .strings(Set(known).union(advertised).sorted())
        if device.hasAlias { changes["Alias"] = nil }
        changes = changes.filter { name, new in
            let known = bus.value(name, of: InterfaceName.device1, at: device.path)
            return name == "RSSI" ? isNews(rssi, after: known, to: device.id.adapter) : known != new
        }
        bus.change(changes.mapValues(Optional.some), of: InterfaceName.device1, at: device.path)
    }

    /// Whether a signal strength differs enough from the last one to be told.
    private func isNews(_ rssi: Int16, after known: Value?, to index: Int) -> Bool {
        guard case .int16(let known) = known, let adapter = adapters[index],
            !adapter.discovery.isFiltered(countingTransport: behavior.filtersByTransportAlone)
        else { return true }
        return abs(Int(rssi) - Int(known)) >= 8
    }
}
