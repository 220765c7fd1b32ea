internal import BLEDBus

/// How adapters come and go, are turned on and off.
extension VirtualDaemon {
    /// Serves an adapter; one that is off is turned on.
    ///
    /// - Parameters:
    ///   - index: the adapter.
    ///   - isNew: whether it has just been plugged in, and has no name yet.
    func addAdapter(_ index: Int, isNew: Bool = false) {
        let adapter = VirtualAdapter(
            index: index,
            nameNumber: world.controllers[index]?.nameNumber ?? index,
            version: setup.version
        )
        let isPowered = world.isPowered(index)
        adapters[index] = adapter
        var interfaces = [bus.adapter1(adapter, in: world)]
        if behavior.hasBatteryProviderManager {
            interfaces.append(bus.batteryProviderManager(index))
        }
        interfaces += [bus.gattManager(index), bus.media]
        if isPowered { interfaces.append(bus.advertisingManager(adapter)) }
        bus.export(interfaces, at: adapter.path)
        if !agents.isEmpty { change(.pairable, of: index, to: true) }
        for id in storage.properties.keys.sorted(by: { $0.peer < $1.peer })
        where id.adapter == index {
            addDevice(id, storage.properties.removeValue(forKey: id) ?? [:])
            modify(id) { $0.wasConnected = true }
        }
        guard !isPowered else { return }
        bus.export([bus.advertisingManager(adapter)], at: adapter.path)
        guard !world.blocked.contains(index) else { return }
        let services: [String: Value?] = ["UUIDs": .strings(adapter.uuids)]
        if behavior.tellsServicesBeforePower {
            for _ in 0..<(isNew ? 2 : 1) {
                bus.change(services, of: InterfaceName.adapter1, at: adapter.path)
            }
        }
        publishPower(of: index, true, with: services)
        guard isNew else { return }
        bus.change(["Alias": .string(adapter.alias)], of: InterfaceName.adapter1, at: adapter.path)
    }

    func setAdapterProperty(
        _ index: Int,
        _ property: String,
        _ value: Value,
        _ call: MethodCall
    ) {
        guard let adapter = adapters[index] else { return }
        switch (property, value) {
        case ("Powered", .bool(let isOn)):
            guard world.isPowered(index) != isOn else { return call.reply() }
            guard !isOn || !world.blocked.contains(index) else { return call.fail(.blocked) }
            if !isOn { forgetPassersby(of: index) }
            announcePower(of: index, isOn)
            if !isOn { endActivity(of: index) }
            call.reply()
            publishPower(of: index, isOn)
        case ("Alias", .string(let alias)):
            call.reply()
            let alias = alias.isEmpty ? adapter.name : alias
            adapters[index]?.alias = alias
            bus.change(["Alias": .string(alias)], of: InterfaceName.adapter1, at: adapter.path)
        case ("Discoverable", .bool(true)) where !world.isPowered(index):
            call.fail(.failed("Not Powered"))
        default:
            let isNew = bus.value(property, of: InterfaceName.adapter1, at: adapter.path) != value
            if isNew, property == "Discoverable", behavior.showsController {
                bus.change(["Connectable": value], of: InterfaceName.adapter1, at: adapter.path)
            }
            call.reply()
            guard isNew else { return }
            bus.change([property: value], of: InterfaceName.adapter1, at: adapter.path)
            let mode = AdapterMode.allCases.first { [$0.rawValue, $0.timeout].contains(property) }
            if let mode { limit(mode, of: adapter) }
        }
    }

    // MARK: - Modes

    /// Sets when a mode ends of an adapter that has it.
    ///
    /// Source: BlueZ, src/adapter.c, `property_set_discoverable_timeout`, `trigger_pairable_timeout`.
    private func limit(_ mode: AdapterMode, of adapter: VirtualAdapter) {
        let end = Schedule.Event.modeEnd(mode, adapter: adapter.index)
        let seconds = bus.value(mode.timeout, of: InterfaceName.adapter1, at: adapter.path)?.integer
        if has(mode, adapter), let seconds, seconds > 0 {
            set(end, after: .seconds(seconds))
        } else {
            cancel(end)
        }
    }

    private func has(_ mode: AdapterMode, _ adapter: VirtualAdapter) -> Bool {
        bus.value(mode.rawValue, of: InterfaceName.adapter1, at: adapter.path) == .bool(true)
    }

    /// Begins or ends a mode of an adapter, and tells it if that is new.
    func change(_ mode: AdapterMode, of index: Int, to isOn: Bool) {
        guard let adapter = adapters[index], has(mode, adapter) != isOn else { return }
        bus.change([mode.rawValue: .bool(isOn)], of: InterfaceName.adapter1, at: adapter.path)
        limit(mode, of: adapter)
    }

    /// Lets agents come or go: adapters are pairable while there is one.
    ///
    /// Source: BlueZ, src/adapter.c, `adapter_set_io_capability`.
    func changeAgents(_ change: (inout RegisteredAgents) -> Void) {
        let wasPairable = !agents.isEmpty
        change(&agents)
        guard agents.isEmpty == wasPairable else { return }
        for index in adapters.keys.sorted() { self.change(.pairable, of: index, to: !wasPairable) }
    }

    // MARK: - Power

    /// Tells that an adapter is about to be on or off.
    func announcePower(of index: Int, _ isOn: Bool) {
        guard behavior.showsPowerState, let path = adapters[index]?.path else { return }
        let state = isOn ? "off-enabling" : "on-disabling"
        bus.change(["PowerState": .string(state)], of: InterfaceName.adapter1, at: path)
    }

    /// Tells that an adapter is on or off.
    ///
    /// - Parameters:
    ///   - index: the adapter.
    ///   - isOn: whether it is on.
    ///   - state: what `PowerState` says of it; `nil` for the same.
    ///   - others: what else is told with it.
    func publishPower(
        of index: Int,
        _ isOn: Bool,
        state: String? = nil,
        with others: [String: Value?] = [:]
    ) {
        guard let path = adapters[index]?.path else { return }
        world.setPower(of: index, isOn)
        var changes = others
        changes["Powered"] = .bool(isOn)
        if !isOn { changes["Discovering"] = .bool(false) }
        if behavior.showsPowerState {
            changes["PowerState"] = .string(state ?? (isOn ? "on" : "off"))
        }
        bus.change(changes, of: InterfaceName.adapter1, at: path)
        if isOn { retryConnecting(to: index) }
    }

    func powerOn(_ adapter: Int) {
        guard adapters[adapter] != nil, !world.isPowered(adapter), !world.blocked.contains(adapter)
        else { return }
        announcePower(of: adapter, true)
        publishPower(of: adapter, true)
    }

    func publishBlocked(_ adapter: Int) {
        guard behavior.showsPowerState, let path = adapters[adapter]?.path else { return }
        bus.change(["PowerState": .string("off-blocked")], of: InterfaceName.adapter1, at: path)
    }

    /// Ends the links, attempts and scans of an adapter that goes off.
    ///
    /// - Parameters:
    ///   - index: the adapter.
    ///   - reasons: why its links end, as it and as the others see it.
    func endActivity(
        of index: Int,
        because reasons: (EndReason, EndReason) = (.remote, .remote)
    ) {
        world.setPower(of: index, false)
        faults.wedgedAdapters.remove(index)
        for device in devices(of: index) {
            endConnecting(device, .failed("le-connection-abort-by-local"))
            endLink(device, because: reasons)
        }
        clearSightings(of: index)
        abandonStartingDiscovery(on: index)
        cancel(.advertisingReport(adapter: index))
    }

    /// Forgets the devices of an adapter that would be forgotten soon anyway, as it goes off.
    func forgetPassersby(of index: Int) {
        for device in devices(of: index) where schedule.contains(.removal(device)) {
            remove(device)
        }
    }

    // MARK: - Ends

    /// Turns all adapters off, as a daemon that ends does.
    func powerOffAll() {
        let running = adapters.keys.filter(world.isPowered).sorted()
        for index in running { announcePower(of: index, false) }
        for index in running { endActivity(of: index) }
        for index in running { publishPower(of: index, false) }
        for (_, adapter) in adapters.sorted(by: { $0.key < $1.key }) {
            bus.unexport(adapter.path, interfaces: [InterfaceName.media1])
        }
    }

    /// Takes the interfaces away that something was registered with; all others go in one signal.
    func unexportManagers(of adapter: VirtualAdapter) {
        var interfaces = ["org.bluez.GattManager1", InterfaceName.media1]
        if !adapter.applications.isEmpty {
            bus.unexport(adapter.path, interfaces: interfaces)
            interfaces = []
        }
        guard !adapter.advertisements.isEmpty else { return }
        bus.unexport(adapter.path, interfaces: interfaces + [InterfaceName.advertisingManager])
    }

    /// Takes an adapter's objects away.
    func removeAdapter(_ index: Int) {
        guard let adapter = adapters[index] else { return }
        if world.isPowered(index) {
            let calls = takeRequests(of: index)
            endActivity(of: index, because: (.unknown, .timeout))
            // Seen so: what the adapter was asked for last.
            publishPower(of: index, false, state: "on")
            for call in calls { call.fail(ATTCode.unlikelyError.reply) }
        }
        for device in devices(of: index) {
            store(device)
            remove(device)
        }
        unexportManagers(of: adapter)
        for advertisement in adapter.advertisements { release(advertisement.id, on: index) }
        bus.unexport(adapter.path)
        adapters[index] = nil
        cancel(.crashAfterLostWrite(server: index))
        for mode in AdapterMode.allCases { cancel(.modeEnd(mode, adapter: index)) }
        closeApplicationSockets(of: index)
    }
}
