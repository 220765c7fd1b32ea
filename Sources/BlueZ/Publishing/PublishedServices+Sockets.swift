internal import BLE
internal import BLEDBus

/// The socket through which one central is notified of one characteristic.
struct CentralSocket {
    let characteristic: AttributeID
    let path: ObjectPath
    let device: ObjectPath
    let central: PeerID
    let socket: PacketSocket
}

/// Sockets for centrals that have subscribed: what goes into one goes to that central alone.
///
/// From BlueZ 5.82 on there is one for each; it stays open when its central leaves, and swallows what is sent. The
/// others are closed then (bluez/bluez#1452), though their centrals stay subscribed: what is for all goes by
/// `Value`, which reaches them too.
extension PublishedServices {
    /// A central has subscribed.
    func acquireNotify(_ id: AttributeID, _ call: MethodCall) {
        guard let device = call.options["device"]?.objectPath,
            let path = application.path(of: id),
            let (socket, other) = PacketSocket.pair()
        else { return call.fail(BlueZError.reply(for: .unlikelyError)) }
        let mtuBytes = call.options["mtu"]?.uint16 ?? 23
        let central = identify(device)
        didConnect(central, at: device)
        learn(mtuBytes: max(Int(mtuBytes), 23), of: device)
        call.reply([.descriptor(other), .uint16(mtuBytes)])
        forgetSocketless(device, of: id)
        sockets.append(
            CentralSocket(
                characteristic: id,
                path: path,
                device: device,
                central: central,
                socket: socket
            )
        )
        report(.subscribed(id, central))
        // Ends with the socket; a central sends nothing.
        Task { [weak self, packets = socket.takePackets()] in
            do { for try await _ in packets {} } catch { /* The other end was closed. */  }
            await self?.didClose(socket)
        }
    }

    func notify(
        _ value: [UInt8],
        to central: PeerID,
        of characteristic: AttributeID
    ) async throws {
        _ = try path(of: characteristic, for: value)
        guard hasSockets, services[characteristic]?.properties.contains(.notify) == true else {
            throw RadioError(
                .unsupported,
                "notifying \(central) alone of \(characteristic): it was not published for that"
            )
        }
        guard !value.isEmpty else {
            throw RadioError(
                .valueTooLong,
                "notifying \(central) alone of \(characteristic): it takes 1 to 512 bytes, and not none"
            )
        }
        let found = sockets.last {
            $0.characteristic == characteristic && $0.central == central
        }
        let attempt = "notifying \(central) of \(characteristic)"
        guard let found else {
            throw RadioError(.peerGone, "\(attempt): it has no connection of its own to it")
        }
        switch try await found.socket.send(value) {
        case .sent: return
        case .full:
            let count = Turns.maximumWaitingCount
            throw RadioError(.busy, "\(attempt): \(count) values wait until it takes more")
        case .closed:
            throw RadioError(.peerGone, "\(attempt): the connection of its own has ended")
        }
    }

    private func remove(_ socket: PacketSocket, isUnsubscribed: Bool = true) {
        guard let index = sockets.firstIndex(where: { $0.socket === socket }) else { return }
        let ended = sockets.remove(at: index)
        socket.close()
        report(
            isUnsubscribed
                ? .unsubscribed(ended.characteristic, ended.central)
                : .individualNotificationsEnded(ended.characteristic, ended.central)
        )
        if isUnsubscribed {
            adapter?.assumeIsolated { $0.didLoseSubscriber() }
        } else {
            socketless[ended.characteristic, default: []].insert(ended.device)
        }
        if !isSubscribed(ended.characteristic) { didUnsubscribe(ended.characteristic) }
    }

    private func forgetSocketless(_ device: ObjectPath, of characteristic: AttributeID) {
        socketless[characteristic]?.remove(device)
        if socketless[characteristic]?.isEmpty == true { socketless[characteristic] = nil }
    }

    /// bluetoothd has closed a socket: its central has unsubscribed, or another one's link has ended, which is signalled
    /// before or after.
    private func didClose(_ socket: PacketSocket) {
        let count = disconnectionCount
        let isEndingOthers = unsettledCount > 0
        whenSettled { publication in
            let isUnsubscribed = !isEndingOthers && publication.disconnectionCount == count
            publication.remove(socket, isUnsubscribed: isUnsubscribed)
        }
    }

    /// A link has ended: with it bluetoothd closes the sockets of others, too.
    func didEndLink() {
        guard !sockets.isEmpty else { return }
        disconnectionCount += 1
        unsettledCount += 1
        whenSettled { publication in
            publication.unsettledCount -= 1
            for other in publication.sockets where !other.socket.isOpen {
                publication.remove(other.socket, isUnsubscribed: false)
            }
        }
    }

    /// Does something when bluetoothd has done what it was at.
    private func whenSettled(_ work: @escaping @Sendable (isolated PublishedServices) -> Void) {
        let message = Message.property("Powered", of: Adapter1.interface, at: adapterPath)
        connection.request(message, logger) { [weak self] _ in self?.assumeIsolated(work) }
    }

    /// A central has left, or the publication ends.
    func closeSockets(of device: ObjectPath? = nil) {
        if let device { closeSocketless(device) }
        for subscriber in sockets where device == nil || subscriber.device == device {
            if device == nil { subscriber.socket.close() } else { remove(subscriber.socket) }
        }
        if device == nil { sockets = [] }
    }

    private func closeSocketless(_ device: ObjectPath) {
        for characteristic in socketless.keys {
            forgetSocketless(device, of: characteristic)
            if !isSubscribed(characteristic) { didUnsubscribe(characteristic) }
        }
    }
}
