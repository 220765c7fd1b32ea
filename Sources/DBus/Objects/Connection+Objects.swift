internal import Logging

extension Connection {
    /// Exports interfaces on an object; one that it has already is replaced.
    ///
    /// Object managers above tell it with `InterfacesAdded`. Every exported object also has
    /// `Introspectable`, and `Properties` where an interface has some, and replies to `Peer`.
    ///
    /// - Throws: ``BusError/Code/invalidMessage`` for what is no interface's name or no value that
    ///   can travel.
    package func export(
        _ interfaces: [ExportedInterface],
        at path: ObjectPath
    ) throws(BusError) {
        for signal in try server.add(interfaces, at: path) { try send(signal) }
    }

    /// Takes an object back, or some of its interfaces; managers above tell it.
    ///
    /// - Parameters:
    ///   - path: the object.
    ///   - interfaces: which ones; `nil` for all.
    /// - Throws: ``BusError/Code/disconnected``.
    package func unexport(
        _ path: ObjectPath,
        interfaces: [String]? = nil
    ) throws(BusError) {
        for signal in try server.remove(interfaces, at: path) { try send(signal) }
    }

    /// Makes an object the manager of those below it: it replies to `GetManagedObjects`, and tells
    /// what comes and goes.
    package func exportObjectManager(at path: ObjectPath) {
        server.addManager(at: path)
    }

    /// Takes an object manager back.
    package func unexportObjectManager(at path: ObjectPath) {
        server.removeManager(at: path)
    }

    /// Changes properties of an exported interface and tells it with one `PropertiesChanged`.
    ///
    /// - Parameters:
    ///   - changes: the new values; `nil` takes a property away, told as invalidated. The signal
    ///     is sent also when a value is the same as before.
    ///   - interface: the interface; nothing happens when the object has none of that name.
    ///   - path: the object.
    /// - Throws: ``BusError``.
    package func update(
        _ changes: [String: Value?],
        of interface: String,
        at path: ObjectPath
    ) throws(BusError) {
        guard let signal = try server.update(changes, of: interface, at: path) else { return }
        try send(signal)
    }

    /// A property of an exported interface, as it is now.
    package func value(
        _ property: String,
        of interface: String,
        at path: ObjectPath
    ) -> Value? {
        server.value(property, of: interface, at: path)
    }

    /// Says who sees each call of a peer before it is served, those of standard interfaces included.
    ///
    /// - Parameter interceptor: called on the loop; returns whether it keeps the call, to be handed to
    ///   ``serve(_:)`` later, to be replied to, or not. `nil` for nobody.
    package func interceptCalls(_ interceptor: (@Sendable (MethodCall) -> Bool)?) {
        self.interceptor = interceptor
    }

    func serve(_ message: Message) {
        let call = MethodCall(message) { [self] in reply($0) }
        if interceptor?(call) != true { serve(call) }
    }

    /// Serves a call as if it came now; for one that was kept.
    package func serve(_ call: MethodCall) {
        switch server.action(for: call.message) {
        case .reply(let body): call.reply(body)
        case .fail(let error): call.fail(error)
        case .invoke(let handler): handler(call)
        case .set(let onSet, let property, let value): onSet(call, property, value)
        }
    }

    /// Sends a reply: at once on the loop, else behind what is queued there.
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
            // A caller whose bus is gone has been told so by its own connection.
        } catch {
            // The caller's own time limit tells it.
            logger.warning("a reply was lost: \(error)")
        }
    }
}
