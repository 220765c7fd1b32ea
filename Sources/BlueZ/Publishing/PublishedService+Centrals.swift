internal import BLE
internal import DBus
internal import Logging

/// What centrals do with a published service: calls of bluetoothd.
extension PublishedService {
    /// How many centrals are reported at once; far more than a controller has links.
    static let maximumCentralCount = 1024

    /// A central connected.
    func didConnect(_ peer: PeerID, at path: ObjectPath) {
        let isKnown = centrals[path] != nil
        guard isKnown || centrals.count < Self.maximumCentralCount else { return }
        centrals[path] = peer
        if !isKnown { report(.connected(peer)) }
    }

    /// A central's link ended, or something that is no central went.
    func didDisconnect(_ path: ObjectPath) {
        guard let peer = centrals.removeValue(forKey: path) else { return }
        report(.disconnected(peer))
    }

    func handle(
        _ operation: GattCharacteristic1.Operation,
        of uuid: BluetoothUUID,
        _ call: MethodCall
    ) {
        guard isFromDaemon(call) else { return }
        logger.debug("\(call.message.callDescription) was called")
        switch operation {
        case .startNotify:
            call.reply()
            report(.subscribed(uuid))
        case .stopNotify:
            call.reply()
            report(.unsubscribed(uuid))
        case .readValue, .writeValue:
            let request = request(call)
            guard !isDisconnecting(request.central) else {
                return call.fail(BlueZError.reply(for: .unlikelyError))
            }
            if operation == .readValue {
                responder.read(call, uuid, request)
            } else if responder.write(call, uuid, request) {
                updates.didReceiveWrite()
            }
        }
    }

    private func isDisconnecting(_ central: PeerID) -> Bool {
        disconnecting.contains { centrals[$0] == central }
    }

    /// Who asks.
    ///
    /// A central that was connected before this was published shows with its request.
    private func request(_ call: MethodCall) -> GATTRequest {
        let options = call.options
        var central = PeerID(rawValue: "")
        if let path = options["device"]?.objectPath {
            central = identify(path)
            didConnect(central, at: path)
        }
        return GATTRequest(
            central: central,
            mtuBytes: max(Int(options["mtu"]?.uint16 ?? 23), 23),
            offset: Int(options["offset"]?.uint16 ?? 0)
        )
    }

    /// bluetoothd took the advertisement off the air, mostly as the adapter or it itself goes.
    func release(_ call: MethodCall) {
        guard isFromDaemon(call) else { return }
        call.reply()
        guard !hasEnded else { return }
        isAdvertisementSent = false
        for message in takeBack() { connection.request(message, logger) { _ in } }
        end(RadioError(.absent, "bluetoothd ended the advertisement of \(service.uuid)"))
    }

    /// Tells the responder; takes the service back when too much waits for that, as who came and went
    /// would not be known any longer.
    private func report(_ event: PublicationEvent) {
        guard !responder.add(event), !hasEnded else { return }
        for message in takeBack() { connection.request(message, logger) { _ in } }
        let count = ResponderBacklog.maximumEventCount
        end(RadioError(.overflow, "\(count) events wait for who serves \(service.uuid)"))
    }

    private func isFromDaemon(_ call: MethodCall) -> Bool {
        guard call.sender != daemon else { return true }
        call.fail(ErrorReply(.accessDenied, "only bluetoothd may call this"))
        return false
    }
}
