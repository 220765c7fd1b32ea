internal import DBus

/// AcquireWrite and AcquireNotify: values that travel over a socket instead of D-Bus.
///
/// Source: BlueZ, doc/gatt-api.txt; src/gatt-client.c.
extension VirtualDaemon {
    /// What a socket is for.
    enum SocketUse: String, CaseIterable {
        case write = "WriteAcquired"
        case notify = "NotifyAcquired"
    }

    func acquireWrite(_ handle: UInt16, of id: DeviceID, _ call: MethodCall) {
        guard let device = device(id), let characteristic = device.characteristic(handle) else {
            return
        }
        guard characteristic.flags.hasWriteWithoutResponse else { return call.fail(.notSupported) }
        guard device.sockets[.write]?[handle] == nil else { return call.fail(.writeAcquired) }
        guard device.isConnected else { return call.fail(.notConnected) }
        openSocket(.write, handle, of: id, call)
    }

    func acquireNotify(_ handle: UInt16, of id: DeviceID, _ call: MethodCall) {
        guard let device = device(id), let characteristic = device.characteristic(handle) else {
            return
        }
        guard characteristic.flags.hasNotify else { return call.fail(.notSupported) }
        guard device.sockets[.notify]?[handle] == nil else { return call.fail(.notifyAcquired) }
        guard device.subscribers[handle]?.isEmpty != false else { return call.fail(.inProgress) }
        guard device.isConnected else { return call.fail(.notConnected) }
        tellSubscribed(handle, of: id)
        openSocket(.notify, handle, of: id, call)
    }

    private func openSocket(
        _ use: SocketUse,
        _ handle: UInt16,
        of id: DeviceID,
        _ call: MethodCall
    ) {
        guard let path = device(id)?.path(of: handle), let (socket, end) = AttributeSocket.pair()
        else { return call.fail(.failed("Unable to create socket")) }
        // Ends with the socket: its packets do.
        let reader = Task { [weak self] in
            for await packet in socket.packets {
                await self?.receive(packet, for: handle, of: id, from: socket)
            }
            await self?.closeSocket(use, handle, of: id, socket)
        }
        modify(id) { $0.sockets[use, default: [:]][handle] = AcquiredSocket(socket, reader) }
        change([use.rawValue: .bool(true)], of: Self.characteristic1, at: path)
        call.reply([.descriptor(end), .uint16(UInt16(limits.mtu))])
    }

    /// Writes what a client has put into its socket.
    private func receive(
        _ packet: [UInt8],
        for handle: UInt16,
        of id: DeviceID,
        from socket: AttributeSocket
    ) {
        see { daemon in
            guard let device = daemon.device(id), device.isConnected,
                device.sockets[.write]?[handle]?.socket === socket,
                packet.count <= daemon.limits.arrivingCommand,
                let characteristic = device.characteristic(handle)
            else { return }
            daemon.write(packet, to: characteristic, of: id)
        }
    }

    /// Takes note that a client has closed its end.
    private func closeSocket(
        _ use: SocketUse,
        _ handle: UInt16,
        of id: DeviceID,
        _ socket: AttributeSocket
    ) {
        see { daemon in
            guard daemon.device(id)?.sockets[use]?[handle]?.socket === socket else { return }
            daemon.closeSocket(use, handle, of: id)
        }
    }

    /// Closes a socket that is no longer wanted.
    func closeSocket(_ use: SocketUse, _ handle: UInt16, of id: DeviceID) {
        forgetSocket(use, handle, of: id)
        if use == .notify { tellUnsubscribed(handle, of: id) }
    }

    /// Closes the sockets of a device whose link has ended.
    func closeSockets(of id: DeviceID) {
        for use in SocketUse.allCases {
            for handle in (device(id)?.sockets[use] ?? [:]).keys.sorted() {
                forgetSocket(use, handle, of: id)
            }
        }
    }

    private func forgetSocket(_ use: SocketUse, _ handle: UInt16, of id: DeviceID) {
        guard let path = device(id)?.path(of: handle) else { return }
        change([use.rawValue: .bool(false)], of: Self.characteristic1, at: path)
        device(id)?.sockets[use]?[handle]?.close()
        modify(id) { $0.sockets[use]?[handle] = nil }
    }
}

/// A socket that a client holds, and the task that reads what it writes.
struct AcquiredSocket {
    let socket: AttributeSocket
    private let reader: Task<Void, Never>

    init(_ socket: AttributeSocket, _ reader: Task<Void, Never>) {
        self.socket = socket
        self.reader = reader
    }

    func close() {
        socket.close()
        reader.cancel()
    }
}
