internal import BLEDBus

/// Values that are to be confirmed: one at a time over a link.
///
/// The devices here are the peripheral as a central knows it. An application is asked to `Confirm` each
/// value for each central, whether it was confirmed, timed out or lost with the link.
///
/// Source: BlueZ, src/gatt-database.c, `conf_cb`; src/shared/att.c, `timeout_cb`, `disconnect_cb`.
extension VirtualDaemon {
    /// Indicates a value, once those before it are confirmed.
    func indicate(_ indication: Indication, to id: DeviceID) {
        indications[id, default: []].append(indication)
        sendIndications(to: id)
    }

    /// Sends the first one, and as long as confirmations come at once those behind it.
    private func sendIndications(to id: DeviceID) {
        // A confirmation that comes at once is one of this loop's, however many wait.
        guard indicatedDevices.insert(id).inserted else { return }
        defer { indicatedDevices.remove(id) }
        while let indication = indications[id]?.first, !indication.isSent {
            indications[id]?[0].isSent = true
            set(.indicationTimeout(id), after: timing.requestLimit)
            transmit(id.opposite) { daemon in
                daemon.indications[id]?[0].hasArrived = true
                daemon.receiveNotification(indication.value, from: indication.handle, of: id)
                if !daemon.faults.keptConfirmations.contains(id) { daemon.sendConfirmation(of: id) }
            }
        }
    }

    /// Lets a central confirm the indication that it has.
    func sendConfirmation(of id: DeviceID) {
        transmit(id) { $0.receiveConfirmation(of: id) }
    }

    private func receiveConfirmation(of id: DeviceID) {
        // One of nothing is against the protocol.
        guard indications[id]?.first?.hasArrived == true else { return closeBearer(of: id) }
        cancel(.indicationTimeout(id))
        if let indication = indications[id]?.removeFirst() { confirm(indication, at: id.peer) }
        if indications[id]?.isEmpty == true { indications[id] = nil }
        sendIndications(to: id)
    }

    /// Goes on with what waits for a central whose host responds again.
    func resumeIndications(to id: DeviceID) {
        guard let indication = indications[id]?.first else { return }
        guard indication.hasArrived else {
            indications[id]?[0].isSent = false
            return sendIndications(to: id)
        }
        if !faults.keptConfirmations.contains(id) { sendConfirmation(of: id) }
    }

    /// Gives a central up: its subscriptions end now, the link a while later.
    func closeBearer(of id: DeviceID) {
        let subscribed = subscribedAttributes(of: id)
        world.links[id.adapter, id.peer]?.closingEnd = id.peer
        dropIndications(to: id)
        for attribute in subscribed { tellUnsubscribed(attribute) }
        // The kernel gives who was called twice the time.
        let isCaller = world.links[id.adapter, id.peer]?.caller == id.peer
        set(.abandonment(id), after: timing.disconnecting * (isCaller ? 1 : 2))
    }

    /// Forgets what waits for a central that is gone; its application hears no difference.
    func dropIndications(to id: DeviceID) {
        cancel(.indicationTimeout(id))
        for indication in indications.removeValue(forKey: id) ?? [] {
            confirm(indication, at: id.peer)
        }
    }

    /// Asks the application to confirm; lets the daemon die when it uses memory that has become another one's.
    private func confirm(_ indication: Indication, at adapter: Int) {
        guard indication.memory == .held else {
            if indication.memory == .reused { set(.crash, after: .zero) }
            return
        }
        let application = indication.application
        guard adapters[adapter]?.applications.contains(where: { $0.id == application }) == true
        else { return }
        bus.call(
            application.owner,
            at: indication.object,
            InterfaceName.characteristic1,
            "Confirm"
        ) { _, _ in
        }
    }

    // MARK: - Applications that have gone

    /// Applications have gone: what they indicated is confirmed to nobody.
    func didRemove(_ applications: [RegisteredApplication.ID], from adapter: Int) {
        changeIndications { id, indication in
            guard id.peer == adapter, applications.contains(indication.application) else { return }
            indication.memory = .freed
        }
    }

    /// An application is read, into the memory of those that have gone.
    func willAddApplication() {
        changeIndications { _, indication in
            if indication.memory == .freed { indication.memory = .reused }
        }
    }

    private func changeIndications(_ change: (DeviceID, inout Indication) -> Void) {
        for (id, queue) in indications {
            indications[id] = queue.map { indication in
                var changed = indication
                change(id, &changed)
                return changed
            }
        }
    }
}
