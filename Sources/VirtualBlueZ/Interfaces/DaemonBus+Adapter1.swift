internal import BLEDBus

/// Adapter1: what an adapter is, and whether it is on.
///
/// Source: BlueZ, doc/adapter-api.txt.
extension DaemonBus {
    func adapter1(_ adapter: VirtualAdapter, in world: RadioWorld) -> ExportedInterface {
        let index = adapter.index
        return ExportedInterface(
            InterfaceName.adapter1,
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
            properties: adapterProperties,
            values: adapterValues(adapter, in: world),
            onSet: { [weak daemon] call, property, value in
                daemon?.assumeIsolated { $0.setAdapterProperty(index, property, value, call) }
            }
        )
    }

    private func adapterValues(_ adapter: VirtualAdapter, in world: RadioWorld) -> [String: Value] {
        var values: [String: Value] = [
            "Address": .string(adapter.address),
            "AddressType": .string("public"),
            "Name": .string(adapter.name),
            "Alias": .string(adapter.alias),
            "Class": .uint32(0),
            "Powered": .bool(world.isPowered(adapter.index)),
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
            let off = world.blocked.contains(adapter.index) ? "off-blocked" : "off-enabling"
            values["PowerState"] = .string(world.isPowered(adapter.index) ? "on" : off)
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

    private var adapterProperties: [ExportedInterface.Property] {
        Self.adapterProperties
            + (behavior.showsPowerState ? [.init("PowerState", "s")] : [])
            + (behavior.showsController ? Self.controllerProperties : [])
    }

    private static let controllerProperties: [ExportedInterface.Property] = [
        .init("Connectable", "b", isWritable: true), .init("Manufacturer", "q"),
        .init("Version", "y"),
    ]

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

    /// Providers come and go without being asked: no device has a battery.
    func batteryProviderManager(_ index: Int) -> ExportedInterface {
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
}
