internal import DBus

/// Applications that take writes from sockets, and notify through them, in place of D-Bus.
///
/// Source: BlueZ, doc/gatt-api.txt, `AcquireWrite`, `AcquireNotify`; src/gatt-database.c.
extension VirtualDaemon {
    /// Puts a value into the socket of an application, which is asked for one before the first.
    ///
    /// - Parameters:
    ///   - value: what a central writes.
    ///   - characteristic: where.
    ///   - object: the application's object.
    ///   - id: the central's device of the server.
    ///   - completion: called once; the application that gives none is to be called over D-Bus.
    func putIntoSocket(
        _ value: [UInt8],
        of characteristic: VirtualCharacteristic,
        at object: ObjectPath,
        from id: DeviceID,
        completion: @escaping ApplicationSocket.Completion
    ) {
        guard let application = characteristic.source.application,
            characteristic.acquiredUses.contains(.write)
        else { return completion(self, false) }
        let socketID = ApplicationSocket.ID(
            adapter: id.peer,
            handle: characteristic.handle,
            use: .write,
            central: nil
        )
        if let socket = applicationSockets[socketID]?.socket {
            socket.socket.send(value)
            return completion(self, true)
        }
        let isNew = applicationSockets[socketID] == nil
        applicationSockets[socketID, default: ApplicationSocket()]
            .waiting.append((value, completion))
        if isNew { acquire(socketID, from: application, at: object, for: id) { _ in } }
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
        closeApplicationSocket(socketID)
        applicationSockets[socketID] = ApplicationSocket()
        acquire(socketID, from: application, at: subscription.object, for: id) { daemon in
            daemon.callStartNotify(subscription)
        }
        return true
    }

    private func acquire(
        _ socketID: ApplicationSocket.ID,
        from application: RegisteredApplication.ID,
        at object: ObjectPath,
        for id: DeviceID,
        otherwise: @escaping @Sendable (isolated VirtualDaemon) -> Void
    ) {
        call(
            application.owner,
            at: object,
            Self.characteristic1,
            socketID.use == .write ? "AcquireWrite" : "AcquireNotify",
            [.properties(requestOptions(of: id, 0))]
        ) { daemon, result in
            // The application may have gone meanwhile.
            guard let waiting = daemon.applicationSockets[socketID]?.waiting else { return }
            guard let end = try? result.get().first?.descriptor else {
                daemon.applicationSockets[socketID] = nil
                for (_, completion) in waiting { completion(daemon, false) }
                return otherwise(daemon)
            }
            daemon.open(socketID, end, for: waiting)
        }
    }

    private func open(
        _ socketID: ApplicationSocket.ID,
        _ end: FileDescriptor,
        for waiting: [(value: [UInt8], completion: ApplicationSocket.Completion)]
    ) {
        let socket = AttributeSocket(end)
        // Ends with the socket: its packets do.
        let reader = Task { [weak self] in
            for await packet in socket.packets {
                await self?.receive(packet, from: socketID, socket)
            }
            await self?.applicationClosed(socketID, socket)
        }
        applicationSockets[socketID] = ApplicationSocket(socket: AcquiredSocket(socket, reader))
        for (value, completion) in waiting {
            socket.send(value)
            completion(self, true)
        }
    }

    /// Notifies what an application has put into its socket.
    private func receive(
        _ packet: [UInt8],
        from socketID: ApplicationSocket.ID,
        _ socket: AttributeSocket
    ) {
        guard socketID.use == .notify else { return }
        see { daemon in
            guard daemon.applicationSockets[socketID]?.socket?.socket === socket else { return }
            daemon.notify(packet, from: socketID.handle, at: socketID.adapter, to: socketID.central)
        }
    }

    private func applicationClosed(_ socketID: ApplicationSocket.ID, _ socket: AttributeSocket) {
        see { daemon in
            guard daemon.applicationSockets[socketID]?.socket?.socket === socket else { return }
            daemon.applicationSockets[socketID] = nil
        }
    }

    // MARK: - Ends

    /// Whether an application notifies through a socket now, so that its signals say nothing.
    func notifiesThroughSocket(_ handle: UInt16, at adapter: Int) -> Bool {
        applicationSockets.keys.contains {
            $0.adapter == adapter && $0.handle == handle && $0.use == .notify
        }
    }

    /// Closes the sockets through which nobody is notified any more.
    ///
    /// - Returns: whether there were any.
    func closeNotifySockets(_ handle: UInt16, at adapter: Int) -> Bool {
        let ids = applicationSockets.keys.filter {
            $0.adapter == adapter && $0.handle == handle && $0.use == .notify
        }
        ids.forEach(closeApplicationSocket)
        return !ids.isEmpty
    }

    /// Closes the sockets that applications take an adapter's writes from.
    func closeWriteSockets(at adapter: Int) {
        applicationSockets.keys.filter { $0.adapter == adapter && $0.use == .write }
            .forEach(closeApplicationSocket)
    }

    /// Closes the sockets of attributes that are gone.
    func closeApplicationSockets(of adapter: Int) {
        let characteristics = adapters[adapter]?.table.services.flatMap(\.characteristics) ?? []
        let handles = Set(characteristics.map(\.handle))
        for id in applicationSockets.keys
        where id.adapter == adapter && !handles.contains(id.handle) {
            closeApplicationSocket(id)
        }
    }

    private func closeApplicationSocket(_ socketID: ApplicationSocket.ID) {
        applicationSockets.removeValue(forKey: socketID)?.socket?.close()
    }
}
