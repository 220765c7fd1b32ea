/// What is wrong with connections, services, notifications and devices; a test's levers.
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

    /// Lets an adapter make no connection any more, until its power goes.
    ///
    /// `Connect` fails with "le-connection-abort-by-local". Connections that there are stay.
    ///
    /// Source: two hosts that called each other in the same instant, on 5.82 and 5.87.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulateWedge(of adapter: Int) {
        faults.wedgedAdapters.insert(adapter)
    }

    /// Lets nothing arrive that one adapter sends to another, over any connection of theirs.
    ///
    /// A request fails with ATT 0x0e after ``Timing/requestLimit``, whichever of the two made it.
    ///
    /// Source: two hosts that called each other in the same instant, on 5.66.
    ///
    /// - Parameters:
    ///   - adapter: the one that sends.
    ///   - other: the one that receives nothing.
    ///   - isOn: whether it is to be so from now on.
    public func simulateOneWay(from adapter: Int, to other: Int, _ isOn: Bool = true) {
        let way = DeviceID(adapter: adapter, peer: other)
        guard isOn else {
            faults.mutedWays.remove(way)
            return
        }
        faults.mutedWays.insert(way)
        let sent = operations.numbers { [way, way.opposite].contains($0.device) && $0.isSent }
        for number in sent { limitRequest(number) }
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

    /// Lets an adapter confirm no indications of a peer from now on, or confirm them again.
    ///
    /// The peer sends none before the last one is confirmed. After ``Timing/requestLimit`` it gives the
    /// adapter up: `Confirm`, `StopNotify`, and the end of the link some seconds later. A link that ends
    /// before shows `Connected` false, then `Confirm` and `StopNotify`.
    ///
    /// Source: Bluetooth Core specification, Vol 3, Part F, 3.3.3; the scenarios `indicate_…`.
    ///
    /// - Parameters:
    ///   - adapter: the one that receives them.
    ///   - other: the peer that sends them.
    ///   - isOn: whether they are kept from now on; if not, what waits is confirmed.
    public func simulateKeptConfirmations(
        by adapter: Int,
        to other: Int,
        _ isOn: Bool = true
    ) {
        whenNotHanging { daemon in
            let id = DeviceID(adapter: adapter, peer: other)
            if isOn {
                daemon.faults.keptConfirmations.insert(id)
            } else if daemon.faults.keptConfirmations.remove(id) != nil,
                // One that is on its way is confirmed when it arrives.
                daemon.indications[id]?.first?.hasArrived == true
            {
                daemon.sendConfirmation(of: id)
            }
        }
    }

    /// Lets an adapter confirm what it has of a peer's indications.
    ///
    /// Confirming when there is none is against the protocol: the peer gives the adapter up.
    ///
    /// - Parameters:
    ///   - adapter: the one that confirms.
    ///   - other: the peer.
    public func simulateConfirmation(by adapter: Int, to other: Int) {
        whenNotHanging { $0.sendConfirmation(of: DeviceID(adapter: adapter, peer: other)) }
    }

    /// Changes the services that an adapter serves, as new firmware of a device does.
    ///
    /// Connected peers are told by Service Changed: they see objects go, and others come, with other
    /// paths; a request for what goes fails with `org.bluez.Error.NotSupported`. Where they are not told,
    /// they keep stale objects, whose requests fail with ATT 0x01, and see no new ones until they
    /// connect again. A service that was taken away stays so when its application registers anew.
    ///
    /// Source: captures/unregister_app; P5 of what clients of BlueZ complain about, a stale cache.
    ///
    /// - Parameters:
    ///   - adapter: the one that serves them.
    ///   - removing: the UUIDs of services that go; short or long.
    ///   - restoring: those of services that come back.
    ///   - tellsPeers: whether connected peers are told.
    public func simulateServiceChange(
        of adapter: Int,
        removing: [String] = [],
        restoring: [String] = [],
        tellsPeers: Bool = true
    ) {
        let removed = removing.compactMap(BluetoothUUIDText.normalized)
        let restored = restoring.compactMap(BluetoothUUIDText.normalized)
        precondition(
            removed.count + restored.count == removing.count + restoring.count,
            "\(removing + restoring) are not all UUIDs"
        )
        whenNotHanging { $0.changeServices(of: adapter, Set(removed), Set(restored), tellsPeers) }
    }

    /// Lets an adapter keep the services that another one serves now, over all connections until it forgets that device.
    ///
    /// Whatever the other serves by then is not seen, and requests for what it does not serve any more fail with ATT 0x01. So it is with
    /// devices that have new firmware, and neither a Database Hash nor Service Changed to say so.
    ///
    /// Source: P5 of what clients of BlueZ complain about, a stale cache.
    ///
    /// - Parameters:
    ///   - other: the one whose services are kept.
    ///   - adapter: the one that keeps them.
    public func simulateKeptServices(of other: Int, by adapter: Int) {
        whenNotHanging { daemon in
            let id = DeviceID(adapter: adapter, peer: other)
            guard daemon.device(id) != nil else { return }
            daemon.faults.keptTables[id] = daemon.adapters[other]?.table
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
        whenNotHanging { daemon in
            let id = DeviceID(adapter: adapter, peer: other)
            daemon.endLink(id, because: (.local, .remote))
            daemon.remove(id)
        }
    }
}
