internal import DBus

/// Connections, services and notifications that go wrong at a central.
extension VirtualDaemon {
    /// Lets the next attempts to connect be aborted, as interference does.
    ///
    /// `Connected` becomes true for a moment; `Connect` fails with `org.bluez.Error.Failed`,
    /// "le-connection-abort-by-local", and `Connected` becomes false right behind that.
    ///
    /// Source: hbldh/bleak pull request 1255; ukBaz/BLE_GATT issue 9 for the order.
    ///
    /// - Parameters:
    ///   - adapter: the one that connects.
    ///   - other: the peer.
    ///   - times: how many attempts, 1 or more.
    public func simulateConnectionAbort(from adapter: Int, to other: Int, times: Int = 1) {
        precondition(times > 0, "\(times) times")
        faults.connectionAborts[DeviceID(adapter: adapter, peer: other)] = times
    }

    /// Whether an attempt that has just succeeded is to be aborted.
    func takeAbort(of id: DeviceID) -> Bool {
        guard let left = faults.connectionAborts[id] else { return false }
        faults.connectionAborts[id] = left > 1 ? left - 1 : nil
        return true
    }

    /// Lets the services of a peer be resolved wrongly on the next connections.
    ///
    /// - Parameters:
    ///   - resolution: how.
    ///   - adapter: the one that looks.
    ///   - other: the peer.
    ///   - times: on how many connections, 1 or more.
    public func simulateResolution(
        _ resolution: ServiceResolution,
        at adapter: Int,
        of other: Int,
        times: Int = 1
    ) {
        let id = DeviceID(adapter: adapter, peer: other)
        faults.resolutions.add(resolution, times: times, to: id)
    }

    /// Lets the next notifications go wrong at the adapter that receives them.
    ///
    /// - Parameters:
    ///   - fault: how.
    ///   - adapter: the one that receives them.
    ///   - other: the peer that sends them.
    ///   - times: how many, 1 or more.
    public func simulateNotificationFault(
        _ fault: NotificationFault,
        at adapter: Int,
        from other: Int,
        times: Int = 1
    ) {
        let id = DeviceID(adapter: adapter, peer: other)
        faults.notifications.add(fault, times: times, to: id)
    }

    /// Hands a notification on that has arrived, or lets it go wrong.
    func meetNotification(_ value: [UInt8], from handle: UInt16, of id: DeviceID) {
        guard let fault = faults.notifications.next(of: id) else {
            return hand(value, from: handle, of: id)
        }
        switch fault.effect {
        case .lost: break
        case .doubled:
            hand(value, from: handle, of: id)
            hand(value, from: handle, of: id)
        case .late(let delay):
            after(delay) { $0.hand(value, from: handle, of: id) }
        }
    }

    // MARK: - Devices that are forgotten

    /// Lets an adapter forget its devices as soon as its scan ends, but for those that are connected,
    /// being connected or trusted.
    ///
    /// So `Connect` finds no object any more: `UnknownObject`. bluetoothd does so to devices that are
    /// not connectable.
    ///
    /// Source: BlueZ, src/adapter.c, `discovery_cleanup`.
    ///
    /// - Parameters:
    ///   - adapter: 0 for `hci0`.
    ///   - isOn: whether it is to be so from now on.
    public func simulateForgetting(by adapter: Int, _ isOn: Bool = true) {
        if isOn {
            faults.forgetfulAdapters.insert(adapter)
        } else {
            faults.forgetfulAdapters.remove(adapter)
        }
    }

    /// Lets an adapter forget a device now, with what is below it, and its link.
    ///
    /// Does nothing when it does not know it.
    ///
    /// - Parameters:
    ///   - other: the device.
    ///   - adapter: who forgets it.
    public func simulateRemoval(of other: Int, from adapter: Int) {
        see { daemon in
            let id = DeviceID(adapter: adapter, peer: other)
            daemon.losePeer(id, because: (.local, .remote))
            daemon.remove(id)
        }
    }

    func forgetDevices(of index: Int) {
        for id in devices(of: index) {
            guard let device = device(id), !device.isConnected, device.connectCall == nil,
                !device.isTrusted
            else { continue }
            remove(id)
        }
    }
}
