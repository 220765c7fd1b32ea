internal import BLE
internal import BLEDBus

/// Signals about the device and the objects below it.
extension RemoteDevice {
    /// Something changed on the device's object, or on one below it.
    func handle(_ change: ObjectMirror.Change) {
        switch change {
        case .added(let path, let interface, let properties):
            let mtuBytes = remote.knownMTU
            remote.add(path, interface, properties)
            reportMTU(changedFrom: mtuBytes)
            if interface == Device1.interface { device.properties = properties }
        case .changed(_, Device1.interface, let properties, let invalidated):
            device.properties.apply(properties, invalidated: invalidated)
            handleDevice(Device1(path: path, properties: properties))
        case .changed(let path, GattCharacteristic1.interface, let properties, _):
            let changes = GattCharacteristic1(path: path, properties: properties)
            if let mtuBytes = changes.mtuBytes { learn(mtuBytes: mtuBytes) }
            // Another program uses the link as this one does; the last one ends it.
            if changes.isNotifying, !notified.contains(path), !acquiredPaths.contains(path) {
                isForeign = false
            }
            if let value = properties["Value"]?.bytes { handleValue(value, at: path) }
        case .removed(_, Device1.interface):
            forgotten()
        case .removed(let path, let interface):
            if let withdrawal = remote.remove(path, interface) { handle(withdrawal) }
        case .changed:
            break
        }
        signalChange()
    }

    private func forgotten() {
        if case .leaving(let reason) = state {
            end(reason)
        } else {
            end(RadioError(.unknownPeer, "bluetoothd forgot \(peer)"))
        }
    }

    private func handleDevice(_ changes: Device1) {
        let isUnlinked = changes.properties["Connected"]?.bool == false
        // One that was there, perhaps the last one from here that was being ended; the next is ours.
        if isUnlinked { isForeign = false }
        let isUnresolved = changes.properties["ServicesResolved"]?.bool == false
        switch state {
        case .connecting where isLinked && (isUnlinked || isUnresolved):
            end(
                RadioError(
                    .connectionFailed,
                    "the link to \(peer) was lost before it could be used"
                )
            )
        case .up where isUnlinked || isUnresolved:
            end(RadioError(.peerGone, "the link to \(peer) was lost"))
        case .leaving where isUnlinked:
            didDisconnect()
        case .connecting, .up, .leaving, .ended:
            break
        }
    }

    /// The MTU of the link is known, or has changed.
    func learn(mtuBytes: Int) {
        let before = remote.knownMTU
        remote.learn(mtuBytes: mtuBytes)
        reportMTU(changedFrom: before)
    }

    private func reportMTU(changedFrom before: Int?) {
        guard let before, remote.mtuBytes != before else { return }
        emit(.mtuChanged(remote.mtuBytes))
    }

    private func handleValue(_ value: [UInt8], at path: ObjectPath) {
        if gate.isFull(at: path) {
            let error = overflow
            leave(error)
        } else if gate.admits(value, at: path) {
            deliver(value, at: path)
        }
    }

    func deliver(_ value: [UInt8], at path: ObjectPath) {
        guard isUp, let id = remote.id(at: path) else { return }
        let slow = leases.deliver(value, of: id, at: path, overflow)
        for lease in slow { close(lease, overflow) }
        unsubscribeUnused(path)
    }

    func handle(_ withdrawal: RemoteServices.Withdrawal) {
        let error = withdrawn(withdrawal.uuid)
        for path in withdrawal.characteristics {
            for request in queue.removeAll(within: path) { request.reply.fail(error) }
            gate.remove(path)
            notified.remove(path)
            leases.endStreams(at: path, error)
            closeSockets(at: path, error)
        }
        // Until it has discovered them again, bluetoothd shows those of an earlier link; nobody was told of them.
        if isResolved { emit(.servicesInvalidated([withdrawal.uuid])) }
    }

    /// Reports an event to all links; those that are too slow end.
    func emit(_ event: LinkEvent) {
        guard isUp else { return }
        for lease in leases.report(event) { close(lease, overflow) }
    }

    private var overflow: RadioError {
        RadioError(.overflow, "\(peer) sent faster than its values were taken")
    }

    /// The object of a characteristic.
    func path(of attribute: AttributeID) throws(RadioError) -> ObjectPath {
        if let path = remote.path(of: attribute) { return path }
        throw remote.wasWithdrawn(attribute.service)
            ? withdrawn(attribute.service)
            : RadioError(.missingAttribute, "\(peer) has no \(attribute)")
    }

    /// The object of a descriptor.
    func path(of descriptor: DescriptorID) throws(RadioError) -> ObjectPath {
        if let path = remote.path(of: descriptor) { return path }
        _ = try path(of: descriptor.characteristic)
        throw RadioError(.missingAttribute, "\(peer) has no \(descriptor)")
    }

    func withdrawn(_ service: BluetoothUUID) -> RadioError {
        RadioError(.servicesInvalidated, "\(peer) took the service \(service) back")
    }
}
