internal import DBus

/// Services that go and come while their application stays.
extension VirtualDaemon {
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
        see { $0.changeServices(of: adapter, Set(removed), Set(restored), tellsPeers) }
    }

    private func changeServices(
        of index: Int,
        _ removed: Set<String>,
        _ restored: Set<String>,
        _ tellsPeers: Bool
    ) {
        guard var table = adapters[index]?.table else { return }
        let gone = table.hide(removed)
        table.show(restored, of: adapters[index]?.applications ?? [])
        adapters[index]?.table = table
        let handles = Set(gone.flatMap(\.handles))
        closeApplicationSockets(of: index)
        guard tellsPeers else {
            faults.staleHandles[index, default: []].formUnion(handles)
            return
        }
        failOperations(.requestNotSupported) {
            $0.device.peer == index && handles.contains($0.handle)
        }
        if !gone.isEmpty { tellServicesChanged(of: index, hasGrown: false) }
        if !restored.isEmpty { tellServicesChanged(of: index, hasGrown: true) }
    }
}

extension VirtualService {
    /// The handles of its characteristics and descriptors.
    fileprivate var handles: [UInt16] {
        characteristics.flatMap { [$0.handle] + $0.descriptors.map(\.handle) }
    }
}
