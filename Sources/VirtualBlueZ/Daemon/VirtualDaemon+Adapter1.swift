internal import DBus

/// Adapter1: what an adapter is, and whether it is on.
///
/// Source: BlueZ, doc/adapter-api.txt.
extension VirtualDaemon {
    static let adapter1 = "org.bluez.Adapter1"

    /// How an adapter is found.
    enum Arrival {
        case on
        case off
        /// Off, and without a name.
        case new
    }

    /// Plugs an adapter in; one that is off is turned on.
    func addAdapter(_ index: Int, _ arrival: Arrival) {
        var adapter = VirtualAdapter(
            index: index,
            nameIndex: names[index] ?? index,
            version: setup.version
        )
        let isBlocked = blocked.contains(index)
        adapter.isPowered = arrival == .on && !isBlocked
        adapters[index] = adapter
        var interfaces = [adapter1(adapter)]
        if behavior.hasBatteryProviderManager { interfaces.append(batteryProviderManager(index)) }
        interfaces += [gattManager(index), media]
        if adapter.isPowered { interfaces.append(advertisingManager(adapter)) }
        export(interfaces, at: adapter.path)
        for id in remembered.keys.sorted(by: { $0.peer < $1.peer }) where id.adapter == index {
            addDevice(id, remembered.removeValue(forKey: id) ?? [:])
            modify(id) { $0.wasConnected = true }
        }
        guard !adapter.isPowered else { return }
        export([advertisingManager(adapter)], at: adapter.path)
        guard !isBlocked else { return }
        let services: [String: Value?] = ["UUIDs": .strings(adapter.uuids)]
        if behavior.tellsServicesBeforePower {
            for _ in 0..<(arrival == .new ? 2 : 1) {
                change(services, of: Self.adapter1, at: adapter.path)
            }
        }
        tellPower(of: index, true, with: services)
        guard arrival == .new else { return }
        change(["Alias": .string(adapter.alias)], of: Self.adapter1, at: adapter.path)
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
                    $1.reply([.strings(DiscoveryFilter.names($0.behavior))])
                },
            ],
            properties: Self.adapterProperties,
            values: adapterValues(adapter),
            onSet: { [weak self] call, property, value in
                self?.assumeIsolated { $0.setAdapterProperty(index, property, value, call) }
            }
        )
    }

    private func adapterValues(_ adapter: VirtualAdapter) -> [String: Value] {
        var values: [String: Value] = [
            "Address": .string(adapter.address),
            "AddressType": .string("public"),
            "Name": .string(adapter.name),
            "Alias": .string(adapter.alias),
            "Class": .uint32(0),
            "Powered": .bool(adapter.isPowered),
            "Discoverable": .bool(false),
            "DiscoverableTimeout": .uint32(180),
            "Pairable": .bool(false),
            "PairableTimeout": .uint32(0),
            "Discovering": .bool(false),
            "UUIDs": .strings(adapter.uuids),
            "Modalias": .string(modalias),
            "Roles": .strings(["central", "peripheral"]),
        ]
        if behavior.showsPowerState {
            let off = blocked.contains(adapter.index) ? "off-blocked" : "off-enabling"
            values["PowerState"] = .string(adapter.isPowered ? "on" : off)
        }
        if behavior.showsController {
            values["Connectable"] = .bool(false)
            // A virtual controller of Linux, "The Linux Foundation", Bluetooth 5.0.
            values["Manufacturer"] = .uint16(1521)
            values["Version"] = .byte(9)
        }
        return values
    }

    /// What the Device ID of every adapter says.
    var modalias: String { "usb:v1D6Bp0246d" + behavior.deviceRelease.fourDigits }

    /// Providers come and go without being asked: no device has a battery.
    private func batteryProviderManager(_ index: Int) -> ExportedInterface {
        ExportedInterface(
            "org.bluez.BatteryProviderManager1",
            methods: [
                method("RegisterBatteryProvider", [("provider", "o")]) { daemon, call in
                    let provider = RegisteredApplication.ID(call)
                    let isNew = daemon.adapters[index]?.batteryProviders.insert(provider).inserted
                    if isNew == true { call.reply() } else { call.fail(.alreadyExists) }
                },
                method("UnregisterBatteryProvider", [("provider", "o")]) { daemon, call in
                    let provider = RegisteredApplication.ID(call)
                    let old = daemon.adapters[index]?.batteryProviders.remove(provider)
                    if old != nil { call.reply() } else { call.fail(.doesNotExist) }
                },
            ]
        )
    }

    private static let adapterProperties: [ExportedInterface.Property] = [
        .init("Address", "s"), .init("AddressType", "s"), .init("Name", "s"),
        .init("Alias", "s", isWritable: true), .init("Class", "u"),
        .init("Powered", "b", isWritable: true), .init("Discoverable", "b", isWritable: true),
        .init("DiscoverableTimeout", "u", isWritable: true),
        .init("Pairable", "b", isWritable: true),
        .init("PairableTimeout", "u", isWritable: true),
        .init("Discovering", "b"), .init("UUIDs", "as"), .init("Modalias", "s"),
        .init("Roles", "as"), .init("ExperimentalFeatures", "as"),
        .init("PowerState", "s"), .init("Connectable", "b"), .init("Manufacturer", "q"),
        .init("Version", "y"),
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
            guard adapter.isPowered != isOn else { return call.reply() }
            guard !isOn || !blocked.contains(index) else { return call.fail(.blocked) }
            if !isOn { forgetPassersby(of: index) }
            announcePower(of: index, isOn)
            if !isOn { endActivity(of: index) }
            call.reply()
            tellPower(of: index, isOn)
        case ("Alias", .string(let alias)):
            call.reply()
            let alias = alias.isEmpty ? adapter.name : alias
            adapters[index]?.alias = alias
            change(["Alias": .string(alias)], of: Self.adapter1, at: adapter.path)
        case ("Discoverable", .bool(true)) where !adapter.isPowered:
            call.fail(.failed("Not Powered"))
        default:
            let isNew = self.value(property, of: Self.adapter1, at: adapter.path) != value
            if isNew, property == "Discoverable", behavior.showsController {
                change(["Connectable": value], of: Self.adapter1, at: adapter.path)
            }
            call.reply()
            guard isNew else { return }
            change([property: value], of: Self.adapter1, at: adapter.path)
        }
    }
}
