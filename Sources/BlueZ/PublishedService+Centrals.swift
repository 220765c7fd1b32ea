internal import BLE
internal import DBus
internal import Logging

/// What centrals do to a published service, as bluetoothd tells it.
extension PublishedService {
    /// A central connected.
    func didConnect(_ peer: PeerID, at path: ObjectPath) {
        guard centrals.updateValue(peer, forKey: path) == nil else { return }
        responder.tell(.connected(peer))
    }

    /// A central's link ended, or something that is no central went.
    func didDisconnect(_ path: ObjectPath) {
        guard let peer = centrals.removeValue(forKey: path) else { return }
        responder.tell(.disconnected(peer))
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
            responder.tell(.subscribed(uuid))
        case .stopNotify:
            call.reply()
            responder.tell(.unsubscribed(uuid))
        case .readValue:
            responder.read(call, uuid, request(call))
        case .writeValue:
            if responder.write(call, uuid, request(call)) { updates.didReceiveWrite() }
        }
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
            mtuBytes: options["mtu"]?.integer ?? 23,
            offset: options["offset"]?.integer ?? 0
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

    private func isFromDaemon(_ call: MethodCall) -> Bool {
        guard call.sender != daemon else { return true }
        call.fail(ErrorReply(.accessDenied, "only bluetoothd may call this"))
        return false
    }
}
