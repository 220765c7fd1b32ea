internal import DBus

/// How adapters go on and off, come and go.
extension VirtualDaemon {
    /// Ends the links, attempts and scans of an adapter that goes off.
    ///
    /// - Parameters:
    ///   - index: the adapter.
    ///   - reasons: why its links end, as it and as the others see it.
    func endActivity(
        of index: Int,
        because reasons: (EndReason, EndReason) = (.remote, .remote)
    ) {
        adapters[index]?.isPowered = false
        for device in devices(of: index) {
            endConnecting(device, .failed("le-connection-abort-by-local"))
            losePeer(device, because: reasons)
        }
        clearSightings(of: index)
        for client in adapters[index]?.scans.keys ?? [:].keys {
            adapters[index]?.scans[client]?.isOn = false
        }
        cancel(.advertisingReport(adapter: index))
    }

    /// Forgets the devices of an adapter that would be forgotten soon anyway, as it goes off.
    func forgetPassersby(of index: Int) {
        for device in devices(of: index) where schedule.contains(.removal(device)) {
            remove(device)
        }
    }

    /// Tells that an adapter is about to be on or off.
    func announcePower(of index: Int, _ isOn: Bool) {
        guard behavior.showsPowerState, let path = adapters[index]?.path else { return }
        let state = isOn ? "off-enabling" : "on-disabling"
        change(["PowerState": .string(state)], of: Self.adapter1, at: path)
    }

    /// Tells that an adapter is on or off.
    ///
    /// - Parameters:
    ///   - index: the adapter.
    ///   - isOn: whether it is on.
    ///   - state: what `PowerState` says of it; `nil` for the same.
    ///   - others: what else is told with it.
    func tellPower(
        of index: Int,
        _ isOn: Bool,
        state: String? = nil,
        with others: [String: Value?] = [:]
    ) {
        guard let path = adapters[index]?.path else { return }
        adapters[index]?.isPowered = isOn
        var changes = others
        changes["Powered"] = .bool(isOn)
        if !isOn { changes["Discovering"] = .bool(false) }
        if behavior.showsPowerState {
            changes["PowerState"] = .string(state ?? (isOn ? "on" : "off"))
        }
        change(changes, of: Self.adapter1, at: path)
        if isOn { retryConnecting(to: index) }
    }

    // MARK: - Coming and going

    /// Turns all adapters off, as a daemon that ends does.
    func powerOffAll() {
        let running = adapters.values.filter(\.isPowered).map(\.index).sorted()
        for index in running { announcePower(of: index, false) }
        for index in running { endActivity(of: index) }
        for index in running { tellPower(of: index, false) }
        for (_, adapter) in adapters.sorted(by: { $0.key < $1.key }) {
            unexport(adapter.path, interfaces: [Self.media1])
        }
    }

    /// Takes the interfaces away that something was registered with; all others go in one signal.
    private func unexportManagers(of adapter: VirtualAdapter) {
        var interfaces = ["org.bluez.GattManager1", Self.media1]
        if !adapter.applications.isEmpty {
            unexport(adapter.path, interfaces: interfaces)
            interfaces = []
        }
        guard !adapter.advertisements.isEmpty else { return }
        unexport(adapter.path, interfaces: interfaces + [Self.advertisingManager])
    }

    /// Unplugs an adapter.
    func removeAdapter(_ index: Int) {
        guard let adapter = adapters[index] else { return }
        if adapter.isPowered {
            let calls = takeRequests(of: index)
            endActivity(of: index, because: (.unknown, .timeout))
            // Seen so: what the adapter was asked for last.
            tellPower(of: index, false, state: "on")
            for call in calls { call.fail(ATTCode.unlikelyError.reply) }
        }
        for device in devices(of: index) {
            remember(device)
            remove(device)
        }
        unexportManagers(of: adapter)
        for advertisement in adapter.advertisements { release(advertisement.id) }
        unexport(adapter.path)
        adapters[index] = nil
        cancel(.lateReply(server: index))
        closeApplicationSockets(of: index)
    }
}
