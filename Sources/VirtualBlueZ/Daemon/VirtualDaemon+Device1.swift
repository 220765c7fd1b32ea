internal import DBus

/// Device1: a peer's object, from its first sighting to its removal.
///
/// Source: BlueZ, doc/device-api.txt.
extension VirtualDaemon {
    static let device1 = "org.bluez.Device1"

    func device(_ id: DeviceID) -> VirtualDevice? {
        adapters[id.adapter]?.devices[id.peer]
    }

    /// The devices that an adapter knows, in order.
    func devices(of index: Int) -> [DeviceID] {
        (adapters[index]?.devices.keys.sorted() ?? []).map { DeviceID(adapter: index, peer: $0) }
    }

    /// Changes what is known of a device, if it is there.
    func modify(_ id: DeviceID, _ change: (inout VirtualDevice) -> Void) {
        guard var device = device(id) else { return }
        change(&device)
        adapters[id.adapter]?.devices[id.peer] = device
    }

    /// Makes a device's object, with properties that are known beside those that all have.
    func addDevice(_ id: DeviceID, _ known: [String: Value]) {
        guard let adapter = adapters[id.adapter] else { return }
        let address = address(of: id.peer)
        let device = VirtualDevice(id, address: address.text, below: adapter.path)
        adapters[id.adapter]?.devices[id.peer] = device
        var values: [String: Value] = [
            "Address": .string(device.address),
            "AddressType": .string(address.type),
            "Alias": .string(device.addressWithDashes),
            "Paired": .bool(false),
            "Bonded": .bool(false),
            "Trusted": .bool(false),
            "Blocked": .bool(false),
            "LegacyPairing": .bool(false),
            "Connected": .bool(false),
            "UUIDs": .strings([]),
            "Adapter": .objectPath(adapter.path),
            "ServicesResolved": .bool(false),
        ]
        if let name = heardNames[id] {
            values["Name"] = .string(name)
            values["Alias"] = .string(name)
        }
        if behavior.showsCablePairing { values["CablePairing"] = .bool(false) }
        let interface = ExportedInterface(
            Self.device1,
            methods: deviceMethods(id),
            signals: endSignals,
            properties: Self.deviceProperties,
            values: values.merging(known) { $1 },
            onSet: { [weak self] call, property, value in
                self?.assumeIsolated { $0.setDeviceProperty(id, property, value, call) }
            }
        )
        let bearer = ExportedInterface(Self.bearer, signals: endSignals)
        export(endSignals.isEmpty ? [interface] : [interface, bearer], at: device.path)
    }

    static let bearer = "org.bluez.Bearer.LE1"

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

    private static let deviceProperties: [ExportedInterface.Property] = [
        .init("Address", "s"), .init("AddressType", "s"), .init("Name", "s"),
        .init("Alias", "s", isWritable: true), .init("Class", "u"), .init("Appearance", "q"),
        .init("Icon", "s"), .init("Paired", "b"), .init("Bonded", "b"),
        .init("Trusted", "b", isWritable: true), .init("Blocked", "b", isWritable: true),
        .init("LegacyPairing", "b"), .init("RSSI", "n"), .init("Connected", "b"),
        .init("UUIDs", "as"), .init("Modalias", "s"), .init("Adapter", "o"),
        .init("ManufacturerData", "a{qv}"), .init("ServiceData", "a{sv}"),
        .init("TxPower", "n"), .init("ServicesResolved", "b"),
        .init("WakeAllowed", "b", isWritable: true), .init("AdvertisingFlags", "ay"),
        .init("CablePairing", "b"),
    ]

    private func setDeviceProperty(
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
                    self.value("Name", of: Self.device1, at: device.path)
                    ?? .string(device.addressWithDashes)
            }
        }
        guard self.value(property, of: Self.device1, at: device.path) != value else { return }
        if property == "Trusted" {
            modify(id) { $0.isTrusted = value == .bool(true) }
            postponeRemoval(of: id)
        }
        change([property: value], of: Self.device1, at: device.path)
    }

    // MARK: - Removal

    /// Lets a device that is neither connected nor trusted be forgotten some time from now.
    func postponeRemoval(of id: DeviceID) {
        guard let device = device(id), !device.isConnected, device.connectCall == nil,
            !device.isTrusted
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
        unexport(device.path)
        adapters[id.adapter]?.devices[id.peer] = nil
        device.connectCall?.fail(.failed("br-connection-canceled"))
        for call in device.disconnectCalls + [device.removeCall].compactMap(\.self) {
            call.reply()
        }
    }

    /// Keeps what is known of a device that was connected, for its adapter's return.
    func remember(_ id: DeviceID) {
        guard let device = device(id), device.wasConnected else { return }
        let names = ["Name", "Alias", "UUIDs", "Modalias"]
        let values = names.map { ($0, value($0, of: Self.device1, at: device.path)) }
        remembered[id] = Dictionary(uniqueKeysWithValues: values).compactMapValues(\.self)
    }

    func removeDevice(from index: Int, _ call: MethodCall) {
        let path = call.arguments.first?.objectPath
        guard let device = adapters[index]?.devices.values.first(where: { $0.path == path })
        else { return call.fail(.doesNotExist) }
        modify(device.id) { $0.removeCall = call }
        if device.isConnected {
            beginDisconnecting(device.id)
        } else {
            remove(device.id)
        }
    }
}
