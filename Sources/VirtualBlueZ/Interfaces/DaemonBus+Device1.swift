internal import BLEDBus

/// Device1: a peer's object.
///
/// Source: BlueZ, doc/device-api.txt.
extension DaemonBus {
    /// A device's interfaces, with properties that are known beside those that all have.
    func device1(
        _ device: VirtualDevice,
        below adapter: ObjectPath,
        addressType: String,
        name: String?,
        _ known: [String: Value]
    ) -> [ExportedInterface] {
        var values: [String: Value] = [
            "Address": .string(device.address),
            "AddressType": .string(addressType),
            "Alias": .string(device.addressWithDashes),
            "Paired": .bool(false),
            "Bonded": .bool(false),
            "Trusted": .bool(false),
            "Blocked": .bool(false),
            "LegacyPairing": .bool(false),
            "Connected": .bool(false),
            "UUIDs": .strings([]),
            "Adapter": .objectPath(adapter),
            "ServicesResolved": .bool(false),
        ]
        if let name {
            values["Name"] = .string(name)
            values["Alias"] = .string(name)
        }
        if behavior.showsCablePairing { values["CablePairing"] = .bool(false) }
        let interface = ExportedInterface(
            InterfaceName.device1,
            methods: deviceMethods(device.id),
            signals: endSignals,
            properties: deviceProperties,
            values: values.merging(known) { $1 },
            onSet: { [weak daemon, id = device.id] call, property, value in
                daemon?.assumeIsolated { $0.setDeviceProperty(id, property, value, call) }
            }
        )
        let bearer = ExportedInterface(InterfaceName.bearer, signals: endSignals)
        return endSignals.isEmpty ? [interface] : [interface, bearer]
    }

    /// The signal that tells why a link has ended.
    private var endSignals: [ExportedInterface.Signal] {
        guard behavior.endOfLink == .withReason else { return [] }
        let arguments = ["name", "message"].map { ExportedInterface.Argument($0, "s") }
        return [ExportedInterface.Signal("Disconnected", arguments: arguments)]
    }

    private func deviceMethods(_ id: DeviceID) -> [ExportedInterface.Method] {
        [
            method("Disconnect") { $0.disconnect(id, $1) },
            method("Connect") { $0.connect(id, $1) },
            method("ConnectProfile", [("UUID", "s")]) { $1.fail(.notSupported) },
            method("DisconnectProfile", [("UUID", "s")]) { $1.fail(.notSupported) },
            method("Pair") { $1.fail(.authenticationFailed) },
            method("CancelPairing") { $1.fail(.doesNotExist) },
        ]
    }

    private var deviceProperties: [ExportedInterface.Property] {
        Self.deviceProperties
            + (behavior.showsAdvertisingFlags ? Self.advertisingProperties : [])
            + (behavior.showsCablePairing ? [.init("CablePairing", "b")] : [])
    }

    private static let advertisingProperties: [ExportedInterface.Property] = [
        .init("AdvertisingFlags", "ay"), .init("AdvertisingData", "a{yv}"),
        .init("Sets", "a{oa{sv}}"),
    ]

    private static let deviceProperties: [ExportedInterface.Property] = [
        .init("Address", "s"), .init("AddressType", "s"), .init("Name", "s"),
        .init("Alias", "s", isWritable: true), .init("Class", "u"), .init("Appearance", "q"),
        .init("Icon", "s"), .init("Paired", "b"), .init("Bonded", "b"),
        .init("Trusted", "b", isWritable: true), .init("Blocked", "b", isWritable: true),
        .init("LegacyPairing", "b"), .init("RSSI", "n"), .init("Connected", "b"),
        .init("UUIDs", "as"), .init("Modalias", "s"), .init("Adapter", "o"),
        .init("ManufacturerData", "a{qv}"), .init("ServiceData", "a{sv}"),
        .init("TxPower", "n"), .init("ServicesResolved", "b"),
        .init("WakeAllowed", "b", isWritable: true),
    ]
}
