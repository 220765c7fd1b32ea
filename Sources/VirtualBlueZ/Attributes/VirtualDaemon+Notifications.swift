internal import BLEDBus

/// Who is subscribed to what, and what is notified.
extension VirtualDaemon {
    func startNotify(_ handle: UInt16, of id: DeviceID, _ call: MethodCall) {
        guard let device = device(id), let characteristic = device.characteristic(handle),
            let path = device.path(of: handle)
        else { return }
        // While a link is being ended all else is as if it stayed.
        guard !isDisconnecting(id) else { return call.fail(.notConnectedAnyMore) }
        guard device.sockets[.notify]?[handle] == nil else { return call.fail(.notifyAcquired) }
        guard characteristic.flags.canNotify else { return call.fail(.notSupported) }
        let subscribers = device.subscribers[handle] ?? []
        guard !subscribers.contains(call.sender) else {
            return isConnected(id) ? call.reply() : call.fail(.inProgress)
        }
        // A client has one subscription, also while it is under way.
        let underWay = operations.numbers {
            $0.request == .subscribe && $0.device == id && $0.handle == handle
                && $0.call.sender == call.sender
        }
        guard underWay.isEmpty else { return call.reply() }
        guard isConnected(id), subscribers.isEmpty else {
            // Without a link, the next one subscribes.
            modify(id) { $0.subscribers[handle, default: []].append(call.sender) }
            return call.reply()
        }
        let client = call.sender
        begin(
            Operation(
                device: id,
                handle: handle,
                request: .subscribe,
                call: call,
                path: path,
                interface: InterfaceName.characteristic1,
                application: characteristic.source.application
            ) { daemon, number in
                daemon.modify(id) { device in
                    device.subscribers[handle, default: []].append(client)
                    let isServiceChanged =
                        device.characteristic(handle)?.uuid == AttributeTable.serviceChanged
                    // The peer indicates it again, and the daemon still listens.
                    if isServiceChanged { device.missesServiceChanged = false }
                }
                daemon.tellSubscribed(handle, of: id)
                daemon.respond(number, .success([]))
            }
        )
    }

    func stopNotify(_ handle: UInt16, of id: DeviceID, _ call: MethodCall) {
        guard device(id)?.sockets[.notify]?[handle] == nil else {
            // Whoever calls it: the socket is another's.
            closeSocket(.notify, handle, of: id)
            return call.reply()
        }
        guard device(id)?.subscribers[handle]?.contains(call.sender) == true else {
            return call.fail(.failed("No notify session started"))
        }
        let subscription = unsubscribe(call.sender, from: handle, of: id)
        call.reply()
        subscription.map(tellUnsubscribed)
    }

    /// Forgets the subscriptions of a client that has left.
    func endSubscriptions(of client: String) {
        let devices = adapters.values.flatMap(\.devices.values)
            .sorted { ($0.id.adapter, $0.id.peer) < ($1.id.adapter, $1.id.peer) }
        for device in devices {
            for (handle, subscribers) in device.subscribers.sorted(by: { $0.key < $1.key })
            where subscribers.contains(client) {
                unsubscribe(client, from: handle, of: device.id).map(tellUnsubscribed)
            }
            abandonSockets(of: client, at: device)
        }
    }

    /// - Returns: what nobody at this device is subscribed to any more, if there is a link.
    private func unsubscribe(
        _ client: String,
        from handle: UInt16,
        of id: DeviceID
    ) -> Subscription? {
        modify(id) { $0.subscribers[handle]?.removeAll { $0 == client } }
        guard let device = device(id), device.subscribers[handle]?.isEmpty == true,
            let path = device.path(of: handle)
        else { return nil }
        publishNotifying(false, at: path)
        // A connection that is made later has a subscription of its own.
        if isConnected(id), device.characteristic(handle)?.uuid == AttributeTable.serviceChanged {
            modify(id) { $0.missesServiceChanged = true }
        }
        return isConnected(id) ? subscription(handle, of: id) : nil
    }

    /// Subscribes again, on a new connection, to what clients were subscribed to on the last one.
    func renewSubscriptions(of id: DeviceID) {
        for attribute in subscribedAttributes(of: id) {
            tellSubscribed(attribute, id)
            guard let device = device(id), let path = device.path(of: attribute.handle),
                device.subscribers[attribute.handle]?.isEmpty == false
            else { continue }
            publishNotifying(true, at: path)
        }
    }

    private func publishNotifying(_ isNotifying: Bool, at path: ObjectPath) {
        guard
            bus.value("Notifying", of: InterfaceName.characteristic1, at: path)
                != .bool(isNotifying)
        else {
            return
        }
        bus.change(["Notifying": .bool(isNotifying)], of: InterfaceName.characteristic1, at: path)
    }

    /// What is subscribed to over a link.
    func subscribedAttributes(of id: DeviceID) -> [Subscription] {
        guard let device = device(id) else { return [] }
        return device.services.flatMap(\.characteristics).map(\.handle)
            .filter(device.isSubscribed)
            .compactMap { subscription($0, of: id) }
    }

    /// The application's characteristic behind a handle at a central, if it is still there.
    func subscription(_ handle: UInt16, of id: DeviceID) -> Subscription? {
        guard let characteristic = device(id)?.characteristic(handle),
            case .application(let application, let object) = characteristic.source,
            adapters[id.peer]?.applications.contains(where: { $0.id == application }) == true
        else { return nil }
        return Subscription(
            adapter: id.peer,
            handle: handle,
            central: id.adapter,
            owner: application.owner,
            object: object
        )
    }

    // MARK: - The application's side

    func tellSubscribed(_ handle: UInt16, of id: DeviceID) {
        subscription(handle, of: id).map { tellSubscribed($0, id) }
    }

    func tellUnsubscribed(_ handle: UInt16, of id: DeviceID) {
        subscription(handle, of: id).map(tellUnsubscribed)
    }

    /// Tells an application that a central has subscribed; its answer changes nothing.
    func tellSubscribed(_ subscription: Subscription, _ id: DeviceID) {
        guard !acquireNotifySocket(subscription, for: id) else { return }
        callStartNotify(subscription)
    }

    func callStartNotify(_ subscription: Subscription) {
        bus.call(
            subscription.owner,
            at: subscription.object,
            InterfaceName.characteristic1,
            "StartNotify"
        ) {
            _,
            _ in
        }
    }

    /// Ends the socket of a central that has gone, and tells an application that the last one has.
    func tellUnsubscribed(_ subscription: Subscription) {
        // The end of its socket tells it.
        let hadSocket = closeNotifySockets(of: subscription) { $0 == subscription.central }
        guard devicesSubscribed(to: subscription.handle, at: subscription.adapter).isEmpty else {
            return
        }
        let hadOthers = closeNotifySockets(of: subscription) { _ in true }
        guard !hadSocket, !hadOthers else { return }
        bus.call(
            subscription.owner,
            at: subscription.object,
            InterfaceName.characteristic1,
            "StopNotify"
        ) {
            _,
            _ in
        }
    }

    private func devicesSubscribed(to handle: UInt16, at adapter: Int) -> [VirtualDevice] {
        adapters.values.sorted { $0.index < $1.index }
            .compactMap { $0.devices[adapter] }
            .filter {
                isConnected($0.id) && $0.isSubscribed(to: handle) && isServed($0.id)
            }
    }

    /// Whether a peripheral's host has a link to a central, and ATT over it.
    private func isServed(_ id: DeviceID) -> Bool {
        isConnected(id.opposite) && world.links[id.adapter, id.peer]?.closingEnd != id.peer
    }

    /// Hands an application's new value on to all who are subscribed.
    func applicationChangedProperties(_ signal: Message) {
        guard signal.sender != connection.assumeIsolated({ $0.uniqueName }),
            let body = try? signal.body(), body.count == 3,
            let value = body[1].properties?["Value"]?.bytes
        else { return }
        for adapter in adapters.values.sorted(by: { $0.index < $1.index }) {
            for characteristic in adapter.table.services.flatMap(\.characteristics) {
                guard case .application(let application, let object) = characteristic.source,
                    application.owner == signal.sender, object == signal.path
                else { continue }
                notify(value, from: characteristic.handle, at: adapter.index)
            }
        }
    }

    /// Notifies a value.
    ///
    /// - Parameters:
    ///   - value: what is cut to what fits.
    ///   - handle: the characteristic.
    ///   - adapter: the adapter that serves it.
    ///   - central: the adapter of the only one to be notified; `nil` for all.
    func notify(
        _ value: [UInt8],
        from handle: UInt16,
        at adapter: Int,
        to central: Int? = nil
    ) {
        let source = indicated(handle, at: adapter)
        for device in devicesSubscribed(to: handle, at: adapter)
        where central == nil || central == device.id.adapter {
            let limits = limits(of: device.id)
            let value = Array(value.prefix(source == nil ? limits.notification : limits.indication))
            if case .application(let application, let object) = source {
                indicate(
                    Indication(
                        value: value,
                        handle: handle,
                        application: application,
                        object: object
                    ),
                    to: device.id
                )
            } else {
                transmit(device.id.opposite) {
                    $0.receiveNotification(value, from: handle, of: device.id)
                }
            }
        }
    }

    /// Passes a value that has arrived on to the clients that are subscribed.
    func deliver(_ value: [UInt8], from handle: UInt16, of id: DeviceID) {
        guard let device = device(id), isConnected(id) else { return }
        if let acquired = device.sockets[.notify]?[handle] {
            acquired.socket.send(value)
        } else if let path = device.path(of: handle) {
            // Once for each client that is subscribed, to all of them.
            for _ in device.subscribers[handle] ?? [] {
                bus.change(["Value": .bytes(value)], of: InterfaceName.characteristic1, at: path)
            }
            releaseReplies(at: path)
        }
    }

    /// What is behind a characteristic whose values are indicated; `nil` for one that is notified.
    private func indicated(_ handle: UInt16, at adapter: Int) -> VirtualCharacteristic.Source? {
        let characteristics = adapters[adapter]?.table.services.flatMap(\.characteristics) ?? []
        return characteristics.first { $0.handle == handle && !$0.flags.hasNotify }?.source
    }

    /// Passes a notification on that has arrived, or applies its fault.
    func receiveNotification(_ value: [UInt8], from handle: UInt16, of id: DeviceID) {
        guard let fault = faults.notifications.next(of: id) else {
            return deliver(value, from: handle, of: id)
        }
        switch fault.effect {
        case .lost: break
        case .doubled:
            deliver(value, from: handle, of: id)
            deliver(value, from: handle, of: id)
        case .late(let delay):
            after(delay, over: id) { $0.deliver(value, from: handle, of: id) }
        }
    }
}
