internal import DBus

/// Adapter1: what an adapter is, and whether it is on.
///
/// Source: BlueZ, doc/adapter-api.txt.
extension VirtualDaemon {
    static let adapter1 = "org.bluez.Adapter1"

    /// Plugs an adapter in.
    func addAdapter(_ index: Int) {
        let adapter = VirtualAdapter(index: index)
        adapters[index] = adapter
        export(
            [adapter1(adapter), gattManager(index), advertisingManager(adapter)],
            at: adapter.path
        )
        for id in remembered.keys.sorted(by: { $0.peer < $1.peer }) where id.adapter == index {
            addDevice(id, remembered.removeValue(forKey: id) ?? [:])
            modify(id) { $0.wasConnected = true }
        }
    }

    private func adapter1(_ adapter: VirtualAdapter) -> ExportedInterface {
        let index = adapter.index
        return ExportedInterface(
            Self.adapter1,
            methods: [
                method("StartDiscovery") { $0.startDiscovery(on: index, $1) },
                method("SetDiscoveryFilter", [("properties", "a{sv}")]) {
                    $0.setDiscoveryFilter(on: index, $1)
                },
                method("StopDiscovery") { $0.stopDiscovery(on: index, $1) },
                method("RemoveDevice", [("device", "o")]) { $0.removeDevice(from: index, $1) },
                method("GetDiscoveryFilters", returns: [("filters", "as")]) {
                    $1.reply([.strings(DiscoveryFilter.names)])
                },
            ],
            properties: Self.adapterProperties,
            values: [
                "Address": .string(adapter.address),
                "AddressType": .string("public"),
                "Name": .string(adapter.alias),
                "Alias": .string(adapter.alias),
                "Class": .uint32(0),
                "Powered": .bool(true),
                "Discoverable": .bool(false),
                "DiscoverableTimeout": .uint32(180),
                "Pairable": .bool(false),
                "PairableTimeout": .uint32(0),
                "Discovering": .bool(false),
                "UUIDs": .strings(adapter.uuids),
                "Modalias": .string(Self.modalias),
                "Roles": .strings(["central", "peripheral"]),
            ],
            onSet: { [weak self] call, property, value in
                self?.assumeIsolated { $0.setAdapterProperty(index, property, value, call) }
            }
        )
    }

    static let modalias = "usb:v1D6Bp0246d0542"

    private static let adapterProperties: [ExportedInterface.Property] = [
        .init("Address", "s"), .init("AddressType", "s"), .init("Name", "s"),
        .init("Alias", "s", isWritable: true), .init("Class", "u"),
        .init("Powered", "b", isWritable: true), .init("Discoverable", "b", isWritable: true),
        .init("DiscoverableTimeout", "u", isWritable: true),
        .init("Pairable", "b", isWritable: true),
        .init("PairableTimeout", "u", isWritable: true),
        .init("Discovering", "b"), .init("UUIDs", "as"), .init("Modalias", "s"),
        .init("Roles", "as"), .init("ExperimentalFeatures", "as"),
    ]

    private func setAdapterProperty(
        _ index: Int,
        _ property: String,
        _ value: Value,
        _ call: MethodCall
    ) {
        guard let adapter = adapters[index] else { return }
        switch (property, value) {
        case ("Powered", .bool(let isOn)):
            let wasOn = adapter.isPowered
            if wasOn, !isOn { endActivity(of: index) }
            call.reply()
            if wasOn != isOn { tellPower(of: index, isOn) }
        case ("Alias", .string(let alias)):
            call.reply()
            let alias = alias.isEmpty ? "BlueZ 5.66" : alias
            adapters[index]?.alias = alias
            change(["Alias": .string(alias)], of: Self.adapter1, at: adapter.path)
        case ("Discoverable", .bool(true)) where !adapter.isPowered:
            call.fail(.failed("Not Powered"))
        default:
            call.reply()
            guard self.value(property, of: Self.adapter1, at: adapter.path) != value else {
                return
            }
            change([property: value], of: Self.adapter1, at: adapter.path)
        }
    }

    // MARK: - Power

    /// Ends the links, attempts and scans of an adapter that goes off.
    func endActivity(of index: Int) {
        adapters[index]?.isPowered = false
        for device in devices(of: index) {
            endConnecting(device, .failed("le-connection-abort-by-local"))
            losePeer(device)
        }
        clearSightings(of: index)
        for client in adapters[index]?.scans.keys ?? [:].keys {
            adapters[index]?.scans[client]?.isOn = false
        }
        cancel(.advertisingReport(adapter: index))
    }

    /// Tells that an adapter is on or off.
    func tellPower(of index: Int, _ isOn: Bool) {
        guard let path = adapters[index]?.path else { return }
        adapters[index]?.isPowered = isOn
        if isOn {
            change(["Powered": .bool(true)], of: Self.adapter1, at: path)
            retryConnecting(to: index)
        } else {
            change(
                ["Powered": .bool(false), "Discovering": .bool(false)],
                of: Self.adapter1,
                at: path
            )
        }
    }

    // MARK: - Coming and going

    /// Turns all adapters off, as a daemon that ends does.
    func powerOffAll() {
        let running = adapters.values.filter(\.isPowered).map(\.index).sorted()
        for index in running { endActivity(of: index) }
        for index in running { tellPower(of: index, false) }
    }

    /// Unplugs an adapter.
    func removeAdapter(_ index: Int) {
        guard let adapter = adapters[index] else { return }
        if adapter.isPowered {
            endActivity(of: index)
            tellPower(of: index, false)
        }
        for device in devices(of: index) {
            remember(device)
            remove(device)
        }
        unexport(adapter.path, interfaces: ["org.bluez.GattManager1"])
        unexport(adapter.path, interfaces: [Self.advertisingManager])
        for advertisement in adapter.advertisements { release(advertisement.id) }
        unexport(adapter.path)
        adapters[index] = nil
    }
}
