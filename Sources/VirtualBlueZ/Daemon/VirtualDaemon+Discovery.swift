internal import DBus

/// Scans: who asks for them, and what is heard.
extension VirtualDaemon {
    func setDiscoveryFilter(on index: Int, _ call: MethodCall) {
        guard adapters[index]?.isPowered == true else { return call.fail(.notReady) }
        do {
            let properties = call.arguments.first?.properties ?? [:]
            let filter = try DiscoveryFilter.parse(properties, behavior)
            adapters[index]?.scans[call.sender, default: VirtualAdapter.Scan()].filter = filter
            call.reply()
        } catch {
            call.fail(error)
        }
    }

    func startDiscovery(on index: Int, _ call: MethodCall) {
        guard let adapter = adapters[index], adapter.isPowered else {
            return call.fail(.notReady)
        }
        guard adapter.scans[call.sender]?.isOn != true else {
            return call.fail(.alreadyInProgress)
        }
        adapters[index]?.scans[call.sender, default: VirtualAdapter.Scan()].isOn = true
        call.reply()
        guard !adapter.isDiscovering else { return }
        change(["Discovering": .bool(true)], of: Self.adapter1, at: adapter.path)
        report(to: index)
    }

    func stopDiscovery(on index: Int, _ call: MethodCall) {
        guard let adapter = adapters[index], adapter.isPowered else {
            return call.fail(.notReady)
        }
        guard adapter.scans[call.sender]?.isOn == true else {
            return call.fail(.failed("No discovery started"))
        }
        adapters[index]?.scans[call.sender]?.isOn = false
        call.reply()
        endDiscovery(on: index)
    }

    /// Forgets the scan and the filter of a client that has left.
    func endScan(of client: String, on index: Int) {
        guard adapters[index]?.scans.removeValue(forKey: client)?.isOn == true else { return }
        endDiscovery(on: index)
    }

    /// Stops listening, if nobody is left who wants it.
    private func endDiscovery(on index: Int) {
        guard let adapter = adapters[index], !adapter.isDiscovering else { return }
        cancel(.advertisingReport(adapter: index))
        clearSightings(of: index)
        if faults.forgetfulAdapters.contains(index) { forgetDevices(of: index) }
        change(["Discovering": .bool(false)], of: Self.adapter1, at: adapter.path)
    }

    /// Takes the signal strength, and the transmit power, from all devices.
    func clearSightings(of index: Int) {
        let devices = adapters[index]?.devices.values.sorted { $0.id.peer < $1.id.peer } ?? []
        for device in devices {
            let told = ["RSSI", "TxPower"].filter {
                value($0, of: Self.device1, at: device.path) != nil
            }
            let changes = told.map { ($0, Value?.none) }
            change(Dictionary(uniqueKeysWithValues: changes), of: Self.device1, at: device.path)
        }
    }

    // MARK: - Reports

    /// Tells an adapter that listens what is being advertised, now and again after a while.
    func report(to index: Int) {
        guard let adapter = adapters[index], adapter.isPowered, adapter.isDiscovering else {
            return
        }
        // Before anything is told: whoever hears it may move the clock.
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
        for index in adapters.keys.sorted() where adapters[index]?.isDiscovering == true {
            report(advertisement, from: peer, to: index)
        }
    }

    private func report(
        _ advertisement: RegisteredAdvertisement,
        from peerIndex: Int,
        to index: Int
    ) {
        guard adapters[peerIndex]?.isPowered == true,
            let rssi = air.rssi(between: index, and: peerIndex),
            !air.losesReport(from: peerIndex, to: index)
        else { return }
        report(advertisement, from: DeviceID(adapter: index, peer: peerIndex), rssi)
    }

    /// Tells an adapter that listens of an advertisement that it hears.
    func report(_ advertisement: RegisteredAdvertisement, from id: DeviceID, _ rssi: Int16) {
        guard let adapter = adapters[id.adapter] else { return }
        if behavior.diesOfFilteredUUIDs, adapter.looksForServices,
            !advertisement.serviceUUIDs.isEmpty
        {
            return set(.crash, after: .zero)
        }
        let isHeard = adapter.hears(
            advertisement,
            from: address(of: id.peer).text,
            rssi: rssi,
            countingTransport: behavior.filtersByTransportAlone
        )
        guard isHeard else {
            if behavior.showsUndiscoverable { overhear(advertisement, from: id) }
            return
        }
        if let device = adapter.devices[id.peer] {
            update(device, from: advertisement, rssi)
        } else {
            addDevice(id, properties(of: advertisement, rssi))
        }
        heardNames[id] = advertisement.name ?? heardNames[id]
        postponeRemoval(of: id)
    }

    /// Makes an object of which nothing is known.
    private func overhear(_ advertisement: RegisteredAdvertisement, from id: DeviceID) {
        guard adapters[id.adapter]?.isUnfiltered == true else { return }
        if device(id) == nil { addDevice(id, [:]) }
        heardNames[id] = advertisement.name ?? heardNames[id]
        postponeRemoval(of: id)
    }

    private func update(
        _ device: VirtualDevice,
        from advertisement: RegisteredAdvertisement,
        _ rssi: Int16
    ) {
        var changes = properties(of: advertisement, rssi)
        let known = value("UUIDs", of: Self.device1, at: device.path)?.strings ?? []
        changes["UUIDs"] = .strings(Set(known).union(services(of: advertisement)).sorted())
        if device.hasAlias { changes["Alias"] = nil }
        changes = changes.filter { name, new in
            let known = value(name, of: Self.device1, at: device.path)
            return name == "RSSI" ? tells(rssi, after: known, to: device.id.adapter) : known != new
        }
        change(changes.mapValues(Optional.some), of: Self.device1, at: device.path)
    }

    private func services(of advertisement: RegisteredAdvertisement) -> Set<String> {
        let data = behavior.countsServiceData ? advertisement.serviceData : []
        return Set(advertisement.serviceUUIDs).union(data.compactMap(\.key.string))
    }

    /// Whether how loud a peer is heard is news.
    private func tells(_ rssi: Int16, after known: Value?, to index: Int) -> Bool {
        guard case .int16(let known) = known, let adapter = adapters[index],
            !adapter.isFiltered(countingTransport: behavior.filtersByTransportAlone)
        else { return true }
        return abs(Int(rssi) - Int(known)) >= 8
    }

    private func properties(
        of advertisement: RegisteredAdvertisement,
        _ rssi: Int16
    ) -> [String: Value] {
        var properties: [String: Value] = [
            "RSSI": .int16(rssi),
            "UUIDs": .strings(services(of: advertisement).sorted()),
        ]
        if behavior.showsAdvertisingFlags {
            properties["AdvertisingFlags"] = .bytes([advertisement.flags])
        }
        if let name = advertisement.name {
            properties["Name"] = .string(name)
            properties["Alias"] = .string(name)
        }
        if advertisement.hasTransmitPower { properties["TxPower"] = .int16(0) }
        if let appearance = advertisement.appearance {
            properties["Appearance"] = .uint16(appearance)
            properties["Icon"] = AppearanceIcon.name(of: appearance).map(Value.string)
        }
        if !advertisement.manufacturerData.isEmpty {
            properties["ManufacturerData"] = .dictionary(
                key: "q",
                value: "v",
                advertisement.manufacturerData
            )
        }
        if !advertisement.serviceData.isEmpty {
            properties["ServiceData"] = .dictionary(
                key: "s",
                value: "v",
                advertisement.serviceData
            )
        }
        return properties
    }
}
