internal import BLE
internal import BLEDBus
internal import Logging

/// What centrals do with published services: calls of bluetoothd.
extension PublishedServices {
    /// How many centrals are reported at once; far more than a controller has links.
    static let maximumCentralCount = 1024

    /// A peer connected, whoever has asked for it.
    func didConnect(_ peer: PeerID, at path: ObjectPath) {
        let isKnown = centrals[path] != nil
        if !isKnown { indications.didChangeCentrals() }
        guard isKnown || centrals.count < Self.maximumCentralCount else { return }
        centrals[path] = peer
        guard !isKnown else { return }
        report(.connected(peer))
        reportMTU(of: path)
    }

    /// A central's link ended, or something that is no central went.
    func didDisconnect(_ path: ObjectPath) {
        indications.didChangeCentrals()
        requestMTUs[path] = nil
        reportedMTUs[path] = nil
        closeSockets(of: path)
        didEndLink()
        guard let peer = centrals.removeValue(forKey: path) else { return }
        report(.disconnected(peer))
    }

    func handle(
        _ operation: GattCharacteristic1.Operation,
        of id: AttributeID,
        _ call: MethodCall
    ) {
        guard isFromDaemon(call) else { return }
        logger.debug("\(call.message.callDescription) was called")
        switch operation {
        case .startNotify:
            call.reply()
            subscribed.insert(id)
            report(.subscribed(id, nil))
        case .stopNotify:
            call.reply()
            subscribed.remove(id)
            socketless[id] = nil
            didUnsubscribe(id)
            report(.unsubscribed(id, nil))
            adapter?.assumeIsolated { $0.didLoseSubscriber() }
        case .confirm:
            call.reply()
            didConfirm(id)
        case .acquireNotify:
            acquireNotify(id, call)
        case .readValue, .writeValue:
            let request = request(call)
            guard !isWithdrawing, !isDisconnecting(request.central) else {
                return call.fail(BlueZError.reply(for: .unlikelyError))
            }
            if operation == .readValue {
                responder.read(call, id, request)
            } else if responder.write(call, id, request, losesRefusal: losesRefusals(of: id)) {
                updates.didReceiveWrite()
            } else {
                logger.warning("a write of \(request.central) to \(id) has no room")
            }
        }
    }

    /// Whether writes are acknowledged before this program is asked, so that no refusal reaches a central.
    private func losesRefusals(of id: AttributeID) -> Bool {
        services[id]?.properties.contains(.writeWithoutResponse) == true
    }

    private func isDisconnecting(_ central: PeerID) -> Bool {
        disconnecting.contains { centrals[$0] == central }
    }

    /// Who asks.
    ///
    /// A central that was connected before this was published shows with its request.
    private func request(_ call: MethodCall) -> GATTRequest {
        let options = call.options
        let mtuBytes = max(Int(options["mtu"]?.uint16 ?? 23), 23)
        var central = PeerID(rawValue: "")
        if let path = options["device"]?.objectPath {
            central = identify(path)
            didConnect(central, at: path)
            learn(mtuBytes: mtuBytes, of: path)
        }
        return GATTRequest(
            central: central,
            mtuBytes: mtuBytes,
            offset: Int(options["offset"]?.uint16 ?? 0)
        )
    }

    func disconnect(_ central: PeerID) async throws {
        try checkNotEnded()
        guard let path = path(of: central) else { return }
        disconnecting.insert(path)
        defer { disconnecting.remove(path) }
        // bluetoothd dies when a link goes while a write of it waits for its reply.
        try await responder.promiseReplies(to: central).wait()
        do {
            try await call(Device1(path: path).disconnect)
        } catch let reply as ErrorReply
            where [BlueZError.notConnected, .unknownObject].contains(reply.name)
        {
            logger.debug("the central had disconnected: \(reply)", metadata: ["peer": "\(central)"])
        } catch {
            throw BlueZError.translate(error, for: .use, "disconnecting \(central)")
        }
    }

    /// The object of a central that is connected.
    private func path(of central: PeerID) -> ObjectPath? {
        let known = centrals.first { $0.value == central }?.key
        return known ?? adapter?.assumeIsolated { $0.connectedDevice(central) }
    }

    /// The MTU of a request, or of the services that the central has itself: the one that came last, which
    /// is the greater one.
    func mtuBytes(of central: PeerID) -> Int? {
        path(of: central).flatMap { mtuBytes(at: $0) }
    }

    private func mtuBytes(at path: ObjectPath) -> Int? {
        let found = adapter?.assumeIsolated { $0.mtuBytes(of: path) }
        return [requestMTUs[path], found].compactMap(\.self).max()
    }

    func smallestMTUBytes(of characteristic: AttributeID) -> Int? {
        let own = sockets.filter { $0.characteristic == characteristic }.map(\.device)
        // Of those that are notified alone it is known who they are.
        let paths = hasSockets && !own.isEmpty ? own : Array(centrals.keys)
        return paths.compactMap { mtuBytes(at: $0) }.min()
    }

    /// A request of a central says the MTU of its connection.
    func learn(mtuBytes: Int, of path: ObjectPath) {
        // Each request says it; of another change tells ``didShowMTU(at:)``.
        guard centrals[path] != nil, requestMTUs[path] != mtuBytes else { return }
        requestMTUs[path] = mtuBytes
        reportMTU(of: path)
    }

    /// Tells the MTU of a connection, unless that was told.
    func reportMTU(of path: ObjectPath) {
        guard let central = centrals[path], let mtuBytes = mtuBytes(at: path),
            reportedMTUs[path] != mtuBytes
        else { return }
        reportedMTUs[path] = mtuBytes
        report(.mtuChanged(mtuBytes, of: central))
    }

    /// A characteristic of a peer shows the MTU of the connection.
    func didShowMTU(at path: ObjectPath) {
        for device in centrals.keys where path.isWithin(device) { reportMTU(of: device) }
    }

    /// Tells the responder; takes the service back when too much waits for that, as who came and went
    /// would not be known any longer.
    func report(_ event: PublicationEvent) {
        guard !responder.add(event), !hasEnded else { return }
        for message in takeBack() { connection.request(message, logger) { _ in } }
        let count = ResponderBacklog.maximumEventCount
        end(RadioError(.overflow, "\(count) events wait for who serves \(names)"))
    }

    private func isFromDaemon(_ call: MethodCall) -> Bool {
        guard call.sender != daemon else { return true }
        call.fail(ErrorReply(.accessDenied, "only bluetoothd may call this"))
        return false
    }
}
