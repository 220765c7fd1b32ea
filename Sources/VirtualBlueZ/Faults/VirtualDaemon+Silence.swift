/// Links over which nothing travels any more, and hosts that say nothing.
extension VirtualDaemon {
    /// Lets a link go dead, until its supervision time-out ends it.
    func silence(_ id: DeviceID) {
        guard !isDead(id) else { return }
        faults.deadLinks.insert(id)
        set(.supervisionTimeout(id), after: timing.supervision)
    }

    /// Whether nothing travels between a device and its adapter.
    func isSilent(_ id: DeviceID) -> Bool {
        isDead(id) || faults.silentHosts.contains(id.peer)
            || faults.silentHosts.contains(id.adapter)
    }

    private func isDead(_ id: DeviceID) -> Bool {
        faults.deadLinks.contains(id) || faults.deadLinks.contains(id.mirrored)
    }

    /// Forgets what a link was like, as it is gone.
    func endSilence(of id: DeviceID) {
        for end in [id, id.mirrored] {
            faults.deadLinks.remove(end)
            faults.traffic[end] = nil
            cancel(.supervisionTimeout(end))
            cancel(.abandonment(end))
        }
    }

    // MARK: - Hosts

    /// Lets an adapter's host fall silent, as one that hangs while its controller goes on.
    ///
    /// It advertises and can be connected to, but replies to nothing and notifies nothing. A request
    /// to it fails with ATT 0x0e after ``Timing/requestLimit``, and the link is given up two seconds
    /// later (``Timing/disconnecting``); services of a new link are not resolved. Does nothing when it
    /// is silent.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulateSilence(of adapter: Int) {
        see { daemon in
            guard daemon.faults.silentHosts.insert(adapter).inserted else { return }
            let sent = daemon.operations.filter {
                $0.value.device.peer == adapter && $0.value.isSent
            }
            for number in sent.keys.sorted() { daemon.limitRequest(number) }
        }
    }

    /// Lets a silent host speak again; it does what it was asked for meanwhile.
    ///
    /// Does nothing when it is not silent.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulateSpeech(of adapter: Int) {
        see { daemon in
            guard daemon.faults.silentHosts.remove(adapter) != nil else { return }
            let waiting = daemon.operations.filter {
                $0.value.device.peer == adapter && $0.value.isSent
            }
            for (number, operation) in waiting.sorted(by: { $0.key < $1.key }) {
                daemon.cancel(.requestTimeout(operation: number))
                if let response = operation.response {
                    daemon.travel(operation.device.mirrored) { $0.finish(number, response) }
                } else if !operation.hasArrived {
                    daemon.sendRequest(number)
                }
            }
            for index in daemon.adapters.keys.sorted() {
                daemon.goOnResolving(DeviceID(adapter: index, peer: adapter))
            }
        }
    }

    private func goOnResolving(_ id: DeviceID) {
        guard schedule.contains(.abandonment(id)), let device = device(id), device.isConnected,
            !device.isResolved
        else { return }
        cancel(.abandonment(id))
        resolve(id)
    }

    /// Lets a request to a host that says nothing have its time.
    func limitRequest(_ number: Int) {
        set(.requestTimeout(operation: number), after: timing.requestLimit)
    }

    /// Ends a request that was never replied to, and soon the link.
    func expireRequest(_ number: Int) {
        guard let id = operations[number]?.device else { return }
        finish(number, .failure(.unlikelyError))
        set(.abandonment(id), after: timing.disconnecting)
    }
}
