internal import BLEDBus

/// What adapters know of their peers.
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
        guard property == "Blocked" else { return }
        // The link ends after that.
        call.reply()
        block(id, value == .bool(true))
    }

    /// Ends the link to a device that there is to be none to, or lets one be made again.
    ///
    /// Source: BlueZ, src/device.c, `device_block`.
    private func block(_ id: DeviceID, _ isBlocked: Bool) {
        modify(id) { $0.isBlocked = isBlocked }
        postponeRemoval(of: id)
        if isBlocked {
            endLink(id, because: (.local, .remote))
        } else {
            for end in [id, id.opposite] { retryConnecting(to: end.peer) }
        }
    }

    // MARK: - Removal

    /// Lets a device that is neither connected nor trusted nor blocked be forgotten some time from now.
    func postponeRemoval(of id: DeviceID) {
        guard let device = device(id), !isConnected(id), device.connectCall == nil,
            !device.isKept, !(behavior.keepsCentrals && device.hasCalled)
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
        faults.keptTables[id] = nil
        device.connectCall?.fail(.failed("br-connection-canceled"))
        for call in device.disconnectCalls + device.removeCalls { call.reply() }
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
        modify(device.id) { $0.removeCalls.append(call) }
        if isConnected(device.id) {
            beginDisconnecting(device.id)
        } else {
            remove(device.id)
        }
    }

    func forgetDevices(of index: Int) {
        for id in devices(of: index) {
            guard let device = device(id), !isConnected(id), device.connectCall == nil,
                !device.isKept
            else { continue }
            remove(id)
        }
    }
}
