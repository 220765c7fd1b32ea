internal import BLEDBus

/// Values that travel over sockets instead of D-Bus: between the daemon and a client, or an application.
///
/// Source: BlueZ, doc/gatt-api.txt, `AcquireWrite`, `AcquireNotify`; src/gatt-client.c, src/gatt-database.c.
extension VirtualDaemon {
    func acquireWrite(_ handle: UInt16, of id: DeviceID, _ call: MethodCall) {
        guard let device = device(id), let characteristic = device.characteristic(handle) else {
            return
        }
        guard characteristic.flags.hasWriteWithoutResponse else { return call.fail(.notSupported) }
        guard device.sockets[.write]?[handle] == nil else { return call.fail(.writeAcquired) }
        guard isConnected(id) else { return call.fail(.notConnected) }
        openSocket(.write, handle, of: id, call)
    }

    func acquireNotify(_ handle: UInt16, of id: DeviceID, _ call: MethodCall) {
        guard let device = device(id), let characteristic = device.characteristic(handle) else {
            return
        }
        guard characteristic.flags.hasNotify else { return call.fail(.notSupported) }
        guard device.sockets[.notify]?[handle] == nil else { return call.fail(.notifyAcquired) }
        guard device.subscribers[handle]?.isEmpty != false else { return call.fail(.inProgress) }
        guard isConnected(id) else { return call.fail(.notConnected) }
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
        // Ends with the socket.
        let reader = Task { [weak self] in
            while let packet = await socket.next() {
                await self?.waitWhileHanging()
                await self?.receive(packet, for: handle, of: id, from: socket)
            }
            await self?.closeSocket(use, handle, of: id, socket)
        }
        let acquired = AcquiredSocket(socket, reader, of: call.sender)
        modify(id) { $0.sockets[use, default: [:]][handle] = acquired }
        bus.change([use.rawValue: .bool(true)], of: InterfaceName.characteristic1, at: path)
        call.reply([.descriptor(end), .uint16(UInt16(limits(of: id).mtu))])
    }

    /// Writes what a client has put into its socket.
    private func receive(
        _ packet: [UInt8],
        for handle: UInt16,
        of id: DeviceID,
        from socket: AttributeSocket
    ) {
        whenNotHanging { daemon in
            guard let device = daemon.device(id), daemon.isConnected(id),
                device.sockets[.write]?[handle]?.socket === socket,
                packet.count <= daemon.limits(of: id).arrivingCommand,
                let characteristic = device.characteristic(handle)
            else { return }
            daemon.write(packet, to: characteristic, of: id)
        }
    }

    /// Takes note that a client has closed its end.
    func closeSocket(
        _ use: SocketUse,
        _ handle: UInt16,
        of id: DeviceID,
        _ socket: AttributeSocket
    ) {
        whenNotHanging { daemon in
            guard let acquired = daemon.device(id)?.sockets[use]?[handle],
                acquired.socket === socket
            else { return }
            let isFatal = acquired.isAbandoned && use == .notify
            if isFatal && daemon.behavior.diesOfAbandonedSockets { return daemon.crash() }
            daemon.closeSocket(use, handle, of: id)
        }
    }

    /// Ends the subscriptions of a client that has left the bus; its sockets only if it has closed them.
    func abandonSockets(of client: String, at device: VirtualDevice) {
        for use in SocketUse.allCases {
            let sockets = (device.sockets[use] ?? [:]).sorted { $0.key < $1.key }
            for (handle, acquired) in sockets where acquired.client == client {
                guard acquired.socket.isOpen else {
                    closeSocket(use, handle, of: device.id)
                    continue
                }
                guard behavior.abandonsSockets else { continue }
                modify(device.id) { $0.sockets[use]?[handle]?.isAbandoned = true }
                if use == .notify { tellUnsubscribed(handle, of: device.id) }
            }
        }
    }

    /// Closes a socket that is no longer wanted.
    func closeSocket(_ use: SocketUse, _ handle: UInt16, of id: DeviceID) {
        // Who has left has unsubscribed before.
        let isAbandoned = device(id)?.sockets[use]?[handle]?.isAbandoned == true
        forgetSocket(use, handle, of: id)
        if use == .notify, !isAbandoned { tellUnsubscribed(handle, of: id) }
    }

    /// Closes the sockets of a device whose link has ended.
    func closeSockets(of id: DeviceID) {
        for use in SocketUse.allCases {
            for handle in (device(id)?.sockets[use] ?? [:]).keys.sorted() {
                forgetSocket(use, handle, of: id)
            }
        }
    }

    /// Closes all sockets, as the kernel does those of a process that ends; nobody is told but by them.
    func closeAllSockets() {
        applicationSockets.close { _ in true }
        let sockets = adapters.values.flatMap(\.devices.values).flatMap(\.sockets.values)
        for socket in sockets.flatMap(\.values) { socket.close() }
    }

    private func forgetSocket(_ use: SocketUse, _ handle: UInt16, of id: DeviceID) {
        guard let path = device(id)?.path(of: handle) else { return }
        bus.change([use.rawValue: .bool(false)], of: InterfaceName.characteristic1, at: path)
        device(id)?.sockets[use]?[handle]?.close()
        modify(id) { $0.sockets[use]?[handle] = nil }
    }

    // MARK: - Sockets of applications

    /// Puts a value into the socket of an application, which is asked for one before the first.
    ///
    /// - Parameters:
    ///   - value: what a central writes.
    ///   - characteristic: where.
    ///   - object: the application's object.
    ///   - id: the central's device of the server.
    ///   - completion: called once with what becomes of it.
    func putIntoSocket(
        _ value: [UInt8],
        of characteristic: VirtualCharacteristic,
        at object: ObjectPath,
        from id: DeviceID,
        completion: @escaping ApplicationSocket.Completion
    ) {
        guard let application = characteristic.source.application,
            characteristic.acquiredUses.contains(.write)
        else { return completion(self, .withoutSocket) }
        let socketID = ApplicationSocket.ID(
            adapter: id.peer,
            handle: characteristic.handle,
            use: .write,
            central: nil
        )
        if let socket = applicationSockets[socketID]?.socket {
            socket.socket.send(value)
            return completion(self, .sent)
        }
        let waitingCount = applicationSockets[socketID]?.waiting.count ?? 0
        guard waitingCount < ApplicationSocket.maximumWaitingCount else {
            // Lost, as in a socket that is full.
            return completion(self, .sent)
        }
        let isNew = applicationSockets[socketID] == nil
        if isNew { applicationSockets[socketID] = ApplicationSocket() }
        applicationSockets[socketID]?.waiting.append((value, completion))
        if isNew { acquire(socketID, from: application, at: object, for: id) { _, _ in } }
    }

    /// Asks an application for a socket to notify through, if there is none yet.
    ///
    /// - Returns: whether it is an application that notifies through sockets.
    func acquireNotifySocket(_ subscription: Subscription, for id: DeviceID) -> Bool {
        guard let characteristic = device(id)?.characteristic(subscription.handle),
            let application = characteristic.source.application,
            characteristic.acquiredUses.contains(.notify)
        else { return false }
        let socketID = ApplicationSocket.ID(
            adapter: id.peer,
            handle: subscription.handle,
            use: .notify,
            central: behavior.acquiresNotifyForEachCentral ? id.adapter : nil
        )
        guard socketID.central != nil || applicationSockets[socketID] == nil else { return true }
        applicationSockets.close { $0 == socketID }
        applicationSockets[socketID] = ApplicationSocket()
        acquire(socketID, from: application, at: subscription.object, for: id) { daemon, error in
            // Source: BlueZ, src/gatt-database.c, `acquire_notify_reply`: who fails so is not asked in another way.
            let failures = [ErrorName.noReply, ErrorReply.failed("").name]
            guard error.map({ !failures.contains($0.name) }) ?? true else { return }
            daemon.callStartNotify(subscription)
        }
        return true
    }

    /// Closes the sockets through which a characteristic is notified to the centrals that are meant; `nil`
    /// stands for all.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    func closeNotifySockets(of subscription: Subscription, where isMeant: (Int?) -> Bool) -> Bool {
        applicationSockets.close {
            $0.adapter == subscription.adapter && $0.handle == subscription.handle
                && $0.use == .notify && isMeant($0.central)
        }
    }

    private func acquire(
        _ socketID: ApplicationSocket.ID,
        from application: RegisteredApplication.ID,
        at object: ObjectPath,
        for id: DeviceID,
        otherwise: @escaping @Sendable (isolated VirtualDaemon, ErrorReply?) -> Void
    ) {
        bus.call(
            application.owner,
            at: object,
            InterfaceName.characteristic1,
            socketID.use == .write ? "AcquireWrite" : "AcquireNotify",
            [.properties(requestOptions(of: id, 0))]
        ) { daemon, result in
            // The application may have gone meanwhile.
            guard let waiting = daemon.applicationSockets[socketID]?.waiting else { return }
            if let end = try? result.get().first?.descriptor {
                return daemon.open(socketID, end, for: waiting)
            }
            daemon.applicationSockets[socketID] = nil
            let error: ErrorReply? = if case .failure(let error) = result { error } else { nil }
            let outcome = daemon.outcome(of: error)
            for (_, completion) in waiting { completion(daemon, outcome) }
            otherwise(daemon, error)
        }
    }

    /// What becomes of a write whose application gives no socket, with an error or without.
    ///
    /// Source: BlueZ, src/gatt-database.c, `acquire_write_reply`.
    private func outcome(of error: ErrorReply?) -> ApplicationSocket.Outcome {
        guard let error else { return .withoutSocket }
        let knowsAll = behavior.knowsImproperlyConfigured
        let code = ATTCode(error, to: .write, knowsImproperlyConfigured: knowsAll)
        return code == .unlikelyError ? .withoutSocket : .refused(code)
    }

    private func open(
        _ socketID: ApplicationSocket.ID,
        _ end: FileDescriptor,
        for waiting: [(value: [UInt8], completion: ApplicationSocket.Completion)]
    ) {
        let socket = AttributeSocket(end)
        // Ends with the socket.
        let reader = Task { [weak self] in
            while let packet = await socket.next() {
                await self?.waitWhileHanging()
                await self?.receive(packet, from: socketID, socket)
            }
            await self?.applicationClosed(socketID, socket)
        }
        applicationSockets[socketID] = ApplicationSocket(socket: AcquiredSocket(socket, reader))
        for (value, completion) in waiting {
            socket.send(value)
            completion(self, .sent)
        }
    }

    /// Notifies what an application has put into its socket.
    private func receive(
        _ packet: [UInt8],
        from socketID: ApplicationSocket.ID,
        _ socket: AttributeSocket
    ) {
        guard socketID.use == .notify else { return }
        whenNotHanging { daemon in
            guard daemon.applicationSockets.isOpen(socketID, socket) else { return }
            daemon.notify(packet, from: socketID.handle, at: socketID.adapter, to: socketID.central)
        }
    }

    private func applicationClosed(_ socketID: ApplicationSocket.ID, _ socket: AttributeSocket) {
        whenNotHanging { daemon in
            guard daemon.applicationSockets.isOpen(socketID, socket) else { return }
            daemon.applicationSockets[socketID] = nil
        }
    }

    /// Closes the sockets of attributes that are gone.
    func closeApplicationSockets(of adapter: Int) {
        let characteristics = adapters[adapter]?.table.services.flatMap(\.characteristics) ?? []
        let handles = Set(characteristics.map(\.handle))
        applicationSockets.close { $0.adapter == adapter && !handles.contains($0.handle) }
    }
}
