internal import Logging

extension Connection {
    /// Exports interfaces of an object, and replaces those that it has already.
    ///
    /// Object managers above it send `InterfacesAdded`. Every exported object also has `Introspectable`
    /// and `Peer`, and `Properties` when an interface has properties.
    ///
    /// - Throws: ``BusError/Code/invalidMessage`` for a name or a value that is not valid.
    package func export(
        _ interfaces: [ExportedInterface],
        at path: ObjectPath
    ) throws(BusError) {
        for signal in try server.add(interfaces, at: path) { try send(signal) }
    }

    /// Removes an exported object, or some of its interfaces.
    ///
    /// Object managers above it send `InterfacesRemoved`.
    ///
    /// - Parameters:
    ///   - path: the object.
    ///   - interfaces: the interfaces to remove; `nil` for all.
    /// - Throws: ``BusError/Code/disconnected``.
    package func unexport(
        _ path: ObjectPath,
        interfaces: [String]? = nil
    ) throws(BusError) {
        for signal in try server.remove(interfaces, at: path) { try send(signal) }
    }

    /// Makes an object the object manager of those below it.
    package func exportObjectManager(at path: ObjectPath) {
        server.addManager(at: path)
    }

    /// Removes an object manager.
    package func unexportObjectManager(at path: ObjectPath) {
        server.removeManager(at: path)
    }

    /// Changes properties of an exported interface, and sends one `PropertiesChanged`.
    ///
    /// - Parameters:
    ///   - changes: the new values; `nil` removes and invalidates a property. The signal is sent even
    ///     when no value has changed.
    ///   - interface: the interface. Does nothing when the object does not have it.
    ///   - path: the object.
    ///   - isTold: whether the signal is sent.
    /// - Throws: ``BusError``.
    package func update(
        _ changes: [String: Value?],
        of interface: String,
        at path: ObjectPath,
        isTold: Bool = true
    ) throws(BusError) {
        guard let signal = try server.update(changes, of: interface, at: path), isTold else {
            return
        }
        try send(signal)
    }

    /// Returns the current value of a property of an exported interface.
    package func value(
        _ property: String,
        of interface: String,
        at path: ObjectPath
    ) -> Value? {
        server.value(property, of: interface, at: path)
    }

    /// Sets the interceptor of the calls of peers, those of standard interfaces included.
    ///
    /// - Parameter interceptor: called on the loop before a call is served; returns whether it has taken
    ///   the call over. It may pass it to ``serve(_:)`` later, reply to it, or drop it. `nil` for none.
    package func interceptCalls(_ interceptor: (@Sendable (MethodCall) -> Bool)?) {
        self.interceptor = interceptor
    }

    func serve(_ message: Message) {
        let call = MethodCall(message) { [self] in reply($0) }
        if interceptor?(call) != true { serve(call) }
    }

    /// Serves a call that the interceptor has taken over.
    package func serve(_ call: MethodCall) {
        switch server.action(for: call.message) {
        case .reply(let body): call.reply(body)
        case .fail(let error): call.fail(error)
        case .invoke(let handler): handler(call)
        case .set(let onSet, let property, let value): onSet(call, property, value)
        }
    }

    /// Sends a reply: at once on the loop, otherwise after what is queued there.
    package nonisolated func reply(_ reply: Message) {
        guard loop.isCurrent else {
            loop.post { [weak self] in self?.assumeIsolated { $0.sendReply(reply) } }
            return
        }
        assumeIsolated { $0.sendReply(reply) }
    }

    private func sendReply(_ reply: Message) {
        do {
            try send(reply)
        } catch  where error.code == .disconnected {
            // The caller has lost the bus, too.
        } catch {
            // The call times out.
            logger.warning("sending a reply failed: \(error)")
        }
    }
}
