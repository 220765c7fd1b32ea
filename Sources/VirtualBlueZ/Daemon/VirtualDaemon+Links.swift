internal import BLEDBus

/// How links between adapters come and go, and what travels over them.
extension VirtualDaemon {
    /// Whether an adapter's host takes a peer for connected.
    func isConnected(_ id: DeviceID) -> Bool {
        world.links[id.adapter, id.peer]?[id.adapter].isUp == true
    }

    /// Whether an adapter's host knows the services of a peer that is connected.
    func hasResolvedServices(of id: DeviceID) -> Bool {
        world.links[id.adapter, id.peer]?[id.adapter].hasResolvedServices == true
    }

    // MARK: - Connecting

    func connect(_ id: DeviceID, _ call: MethodCall) {
        guard let device = device(id) else { return }
        guard world.isPowered(id.adapter) else {
            return call.fail(.failed("Input/output error"))
        }
        guard !isConnected(id) else { return call.reply() }
        guard !faults.wedgedAdapters.contains(id.adapter) else {
            return call.fail(.failed("le-connection-abort-by-local"))
        }
        guard device.connectCall == nil else {
            let isInProgress = behavior.refusesSecondConnectAsInProgress
            return call.fail(isInProgress ? .inProgress : .operationInProgress)
        }
        modify(id) { $0.connectCall = call }
        cancel(.removal(id))
        set(.connectionFailure(id), after: timing.connectLimit)
        tryConnecting(id)
    }

    /// Begins to make the link that a `Connect` waits for, if the peer is there.
    private func tryConnecting(_ id: DeviceID) {
        guard canReach(id) else { return }
        set(.connection(id), after: timing.connecting)
    }

    private func canReach(_ id: DeviceID) -> Bool {
        world.isPowered(id.peer) && adapters[id.peer]?.isConnectable == true
            && world.air.rssi(between: id.adapter, and: id.peer) != nil
            && [id, id.opposite].allSatisfy { device($0)?.isBlocked != true }
            // A peer that was reset is still taken for connected.
            && world.links[id.adapter, id.peer] == nil
    }

    /// Tries again, now that an adapter may be reached.
    func retryConnecting(to peer: Int) {
        for index in adapters.keys.sorted() {
            let id = DeviceID(adapter: index, peer: peer)
            if device(id)?.connectCall != nil { tryConnecting(id) }
        }
    }

    func finishConnecting(_ id: DeviceID) {
        // The peer may have gone in between; then the call waits for its return.
        guard device(id)?.connectCall != nil, canReach(id) else { return }
        world.links.add(from: id.adapter, to: id.peer, mtu: setup.mtu)
        guard !takeAbort(of: id) else { return abortConnecting(id) }
        let ends = [id, id.opposite]
        for end in ends.reversed() { showConnected(end) }
        modify(id.opposite) { $0.hasCalled = true }
        takeConnectCall(of: id)?.reply()
        // The peer may wait for a link too. It is the same one, but the original notices it only
        // where it has found the adapter that it calls; else its call waits for its limit.
        let isFound = adapters[id.adapter]?.isConnectable == true
        let otherCall = isFound ? takeConnectCall(of: id.opposite) : nil
        otherCall?.reply()
        for end in ends { modify(end) { $0.wasCalledByBoth = otherCall != nil } }
        for end in ends {
            showMTU(of: end)
            renewSubscriptions(of: end)
        }
        set(.resolution(id), after: timing.resolving)
    }

    /// Lets a link fail that has only just come, which shows for a moment.
    private func abortConnecting(_ id: DeviceID) {
        world.links[id.adapter, id.peer]?.takeDown(at: id.peer)
        showConnected(id)
        takeConnectCall(of: id)?.fail(.failed("le-connection-abort-by-local"))
        takeDown(id, because: .unknown)
        postponeRemoval(of: id)
    }

    private func showConnected(_ id: DeviceID) {
        if let device = device(id) {
            bus.change(["Connected": .bool(true)], of: InterfaceName.device1, at: device.path)
        } else {
            addDevice(id, ["Connected": .bool(true)])
        }
        modify(id) { $0.wasConnected = true }
        cancel(.removal(id))
    }

    func failConnecting(_ id: DeviceID) {
        endConnecting(id, .failed("le-connection-abort-by-local"))
    }

    func endConnecting(_ id: DeviceID, _ error: ErrorReply) {
        guard let call = takeConnectCall(of: id) else { return }
        call.fail(error)
        postponeRemoval(of: id)
    }

    /// Takes the `Connect` that waits for a link, which is to be replied to now.
    private func takeConnectCall(of id: DeviceID) -> MethodCall? {
        let call = device(id)?.connectCall
        cancel(.connection(id))
        cancel(.connectionFailure(id))
        modify(id) { $0.connectCall = nil }
        return call
    }

    // MARK: - Disconnecting

    func disconnect(_ id: DeviceID, _ call: MethodCall) {
        guard device(id) != nil else { return }
        guard isConnected(id) else {
            endConnecting(id, .failed("br-connection-canceled"))
            return call.reply()
        }
        modify(id) { $0.disconnectCalls.append(call) }
        beginDisconnecting(id)
    }

    /// Whether `Disconnect` was called, and the link is still there.
    func isDisconnecting(_ id: DeviceID) -> Bool {
        schedule.contains(.disconnection(id))
    }

    func beginDisconnecting(_ id: DeviceID) {
        guard !isDisconnecting(id) else { return }
        set(.disconnection(id), after: timing.disconnecting)
    }

    func finishDisconnecting(_ id: DeviceID) {
        guard let device = device(id), isConnected(id) else { return }
        if behavior.endOfLink == .replyInBetween {
            if hasResolvedServices(of: id) {
                bus.change(
                    ["ServicesResolved": .bool(false)],
                    of: InterfaceName.device1,
                    at: device.path
                )
                world.links[id.adapter, id.peer]?[id.adapter].hasResolvedServices = false
            }
            modify(id) { $0.disconnectCalls = [] }
            for call in device.disconnectCalls + device.removeCalls { call.reply() }
        }
        endLink(id, because: (.local, .remote))
    }

    /// Ends a link on both sides at once, if there is one.
    ///
    /// - Parameters:
    ///   - id: one side.
    ///   - reasons: why, as this side and as the other one sees it.
    func endLink(
        _ id: DeviceID,
        because reasons: (EndReason, EndReason) = (.timeout, .timeout)
    ) {
        guard let link = world.links[id.adapter, id.peer] else { return }
        let ends = [id, id.opposite]
        for end in ends {
            scheduleCrashAfterLostWrites(over: end)
            dropCommands(of: end)
        }
        let subscribed = ends.flatMap(subscribedAttributes)
        takeDown(id, because: reasons.0)
        takeDown(id.opposite, because: reasons.1)
        for end in ends { dropIndications(to: end) }
        // An end that was reset has told it already.
        if link.isWhole {
            for attribute in subscribed where attribute.adapter != link.closingEnd {
                tellUnsubscribed(attribute)
                guard behavior.endsNotifySocketsWithLink else { continue }
                closeNotifySockets(of: attribute) { _ in true }
            }
        }
        for end in ends {
            closeSockets(of: end)
            guard behavior.endsWriteSocketsWithLink else { continue }
            applicationSockets.close { $0.adapter == end.peer && $0.use == .write }
        }
        for end in ends {
            failOperations(.unlikelyError) { $0.device == end }
            postponeRemoval(of: end)
        }
        // One that was reset may have been waiting for the other to notice.
        for end in ends where self.device(end)?.connectCall != nil { tryConnecting(end) }
        for end in ends { removeIfAsked(end) }
    }

    /// Forgets a device whose link has ended, by whomever, when `RemoveDevice` waits for that.
    private func removeIfAsked(_ id: DeviceID) {
        guard let calls = device(id)?.removeCalls, !calls.isEmpty else { return }
        for call in calls { call.reply() }
        remove(id)
    }

    /// Ends a link at one of its ends, whose other end does not know yet.
    func endLinkAtOneEnd(_ id: DeviceID) {
        scheduleCrashAfterLostWrites(over: id)
        dropCommands(of: id)
        let subscribed = [id, id.opposite].flatMap(subscribedAttributes)
        takeDown(id, because: .unknown)
        for end in [id, id.opposite] { dropIndications(to: end) }
        for attribute in subscribed { tellUnsubscribed(attribute) }
        closeSockets(of: id)
        failOperations(.unlikelyError) { $0.device == id }
        postponeRemoval(of: id)
        removeIfAsked(id)
    }

    /// Lets one host take the link for gone; the link is over with its second end.
    private func takeDown(_ id: DeviceID, because reason: EndReason) {
        guard isConnected(id) else { return }
        cancel(.resolution(id))
        cancel(.disconnection(id))
        let resolved: [String: Value?] =
            hasResolvedServices(of: id) ? ["ServicesResolved": .bool(false)] : [:]
        let connected: [String: Value?] = ["Connected": .bool(false)]
        world.links[id.adapter, id.peer]?.takeDown(at: id.adapter)
        if world.links[id.adapter, id.peer]?.isOver == true {
            world.links[id.adapter, id.peer] = nil
            for end in [id, id.opposite] {
                cancel(.supervisionTimeout(end))
                cancel(.abandonment(end))
            }
        }
        guard let device = device(id) else { return }
        showMTU(of: id)
        modify(id) { device in
            device.disconnectCalls = []
            device.servicesOfLink = []
            device.missesServiceChanged = false
            device.isOutOfSync = false
        }
        if behavior.endOfLink == .withReason {
            bus.change(resolved, of: InterfaceName.device1, at: device.path)
            let body = [Value.string(reason.name), .string(reason.message)]
            bus.signal("Disconnected", of: InterfaceName.bearer, at: device.path, body)
            bus.signal("Disconnected", of: InterfaceName.device1, at: device.path, body)
            bus.change(connected, of: InterfaceName.device1, at: device.path)
        } else {
            bus.change(
                resolved.merging(connected) { $1 },
                of: InterfaceName.device1,
                at: device.path
            )
        }
        for call in device.disconnectCalls { call.reply() }
    }

    // MARK: - Packets

    /// Whether packets get from an adapter to a peer, and are replied to.
    func canTransmit(_ way: DeviceID) -> Bool {
        world.links[way.adapter, way.peer]?.carriesPackets == true
            && !faults.unresponsiveHosts.contains(way.adapter)
            && !faults.unresponsiveHosts.contains(way.peer)
    }

    /// Lets a packet of a link arrive: at once, if the link is perfect; not at all, if it is broken.
    ///
    /// - Parameters:
    ///   - way: from the adapter to the peer.
    ///   - arrive: what happens then.
    func transmit(_ way: DeviceID, _ arrive: @escaping @Sendable (isolated VirtualDaemon) -> Void) {
        guard canTransmit(way), !faults.mutedWays.contains(way) else { return }
        let now = clock.elapsed()
        switch world.send(from: way.adapter, to: way.peer, at: now, timing) {
        case .arrives:
            arrive(self)
        case .arrivesLater(let arrival, let link):
            after(arrival - now) { daemon in
                let isSame = daemon.world.packetArrived(from: way.adapter, to: way.peer, over: link)
                if isSame, daemon.canTransmit(way) { arrive(daemon) }
            }
        case .isLost:
            breakLink(way)
        }
    }

    /// Lets nothing travel over a link any more, until its supervision time-out ends it.
    ///
    /// - Parameter id: the end that notices it first, in the order in which both are told.
    func breakLink(_ id: DeviceID) {
        guard world.links[id.adapter, id.peer]?.isBroken == false else { return }
        world.links[id.adapter, id.peer]?.isBroken = true
        set(.supervisionTimeout(id), after: timing.supervision)
    }
}
