internal import DBus

/// How links between adapters come and go.
extension VirtualDaemon {
    // MARK: - Connecting

    func connect(_ id: DeviceID, _ call: MethodCall) {
        guard let device = device(id) else { return }
        guard adapters[id.adapter]?.isPowered == true else {
            return call.fail(.failed("Input/output error"))
        }
        guard !device.isConnected else { return call.reply() }
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
        adapters[id.peer]?.isConnectable == true
            && air.rssi(between: id.adapter, and: id.peer) != nil
            // A peer that was reset is still taken for connected.
            && device(id.mirrored)?.isConnected != true
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
        guard let call = device(id)?.connectCall, canReach(id) else { return }
        cancel(.connectionFailure(id))
        modify(id) { $0.connectCall = nil }
        guard !takeAbort(of: id) else { return abortConnecting(id, call) }
        markConnected(id.mirrored)
        markConnected(id)
        call.reply()
        renewSubscriptions(of: id)
        renewSubscriptions(of: id.mirrored)
        set(.resolution(id), after: timing.resolving)
    }

    /// Lets a link fail that has only just come, which shows for a moment.
    private func abortConnecting(_ id: DeviceID, _ call: MethodCall) {
        markConnected(id)
        call.fail(.failed("le-connection-abort-by-local"))
        markDisconnected(id, because: .unknown)
        postponeRemoval(of: id)
    }

    private func markConnected(_ id: DeviceID) {
        if let device = device(id) {
            change(["Connected": .bool(true)], of: Self.device1, at: device.path)
        } else {
            addDevice(id, ["Connected": .bool(true)])
        }
        modify(id) {
            $0.isConnected = true
            $0.wasConnected = true
        }
        cancel(.removal(id))
    }

    func failConnecting(_ id: DeviceID) {
        endConnecting(id, .failed("le-connection-abort-by-local"))
    }

    func endConnecting(_ id: DeviceID, _ error: ErrorReply) {
        guard let call = device(id)?.connectCall else { return }
        cancel(.connection(id))
        cancel(.connectionFailure(id))
        modify(id) { $0.connectCall = nil }
        call.fail(error)
        postponeRemoval(of: id)
    }

    // MARK: - Disconnecting

    func disconnect(_ id: DeviceID, _ call: MethodCall) {
        guard let device = device(id) else { return }
        guard device.isConnected else {
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
        guard let device = device(id), device.isConnected else { return }
        if behavior.endOfLink == .replyInBetween {
            if device.isResolved {
                change(["ServicesResolved": .bool(false)], of: Self.device1, at: device.path)
                modify(id) { $0.isResolved = false }
            }
            modify(id) {
                $0.disconnectCalls = []
                $0.removeCall = nil
            }
            for call in device.disconnectCalls { call.reply() }
            device.removeCall?.reply()
        }
        losePeer(id, because: (.local, .remote))
        self.device(id)?.removeCall?.reply()
        modify(id) { $0.removeCall = nil }
        if device.removeCall != nil { remove(id) }
    }

    /// Ends a link on both sides at once, if there is one.
    ///
    /// - Parameters:
    ///   - id: one side.
    ///   - reasons: why, as this side and as the other one sees it.
    func losePeer(
        _ id: DeviceID,
        because reasons: (EndReason, EndReason) = (.timeout, .timeout)
    ) {
        let ends = [id, id.mirrored].filter { device($0)?.isConnected == true }
        guard !ends.isEmpty else { return }
        endSilence(of: id)
        for end in [id, id.mirrored] {
            doomWrites(over: end)
            loseBurst(of: end)
        }
        let subscribed = subscribedAttributes(of: id) + subscribedAttributes(of: id.mirrored)
        markDisconnected(id, because: reasons.0)
        markDisconnected(id.mirrored, because: reasons.1)
        // An end that was reset has told it already.
        if ends.count == 2 { for attribute in subscribed { tellUnsubscribed(attribute) } }
        for end in [id, id.mirrored] {
            closeSockets(of: end)
            if behavior.endsWriteSocketsWithLink { closeWriteSockets(at: end.peer) }
        }
        for end in [id, id.mirrored] {
            failOperations(.unlikelyError) { $0.device == end }
            postponeRemoval(of: end)
        }
    }

    /// Ends a link at one of its ends, whose other end does not know yet.
    func loseHalf(_ id: DeviceID) {
        doomWrites(over: id)
        loseBurst(of: id)
        let subscribed = subscribedAttributes(of: id) + subscribedAttributes(of: id.mirrored)
        markDisconnected(id, because: .unknown)
        for attribute in subscribed { tellUnsubscribed(attribute) }
        closeSockets(of: id)
        failOperations(.unlikelyError) { $0.device == id }
        postponeRemoval(of: id)
    }

    private func markDisconnected(_ id: DeviceID, because reason: EndReason) {
        guard let device = device(id), device.isConnected else { return }
        cancel(.resolution(id))
        cancel(.disconnection(id))
        modify(id) {
            $0.isConnected = false
            $0.isResolved = false
            $0.disconnectCalls = []
        }
        let resolved: [String: Value?] =
            device.isResolved ? ["ServicesResolved": .bool(false)] : [:]
        let connected: [String: Value?] = ["Connected": .bool(false)]
        if behavior.endOfLink == .withReason {
            change(resolved, of: Self.device1, at: device.path)
            let body = [Value.string(reason.name), .string(reason.message)]
            signal("Disconnected", of: Self.bearer, at: device.path, body)
            signal("Disconnected", of: Self.device1, at: device.path, body)
            change(connected, of: Self.device1, at: device.path)
        } else {
            change(resolved.merging(connected) { $1 }, of: Self.device1, at: device.path)
        }
        for call in device.disconnectCalls { call.reply() }
    }
}
