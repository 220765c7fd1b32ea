internal import BLEDBus

/// A daemon's objects on its bus, and what it sends and receives there.
struct DaemonBus: Sendable {
    let connection: Connection
    let behavior: Behavior

    /// Who handles calls, and replies to its own.
    weak var daemon: VirtualDaemon?

    func export(_ interfaces: [ExportedInterface], at path: ObjectPath) {
        onBus { (connection) throws(BusError) in try connection.export(interfaces, at: path) }
    }

    func unexport(_ path: ObjectPath, interfaces: [String]? = nil) {
        onBus { (connection) throws(BusError) in
            try connection.unexport(path, interfaces: interfaces)
        }
    }

    /// Changes properties and tells it, if nothing else is said; `nil` takes one away.
    func change(
        _ changes: [String: Value?],
        of interface: String,
        at path: ObjectPath,
        isTold: Bool = true
    ) {
        guard !changes.isEmpty else { return }
        onBus { (connection) throws(BusError) in
            try connection.update(changes, of: interface, at: path, isTold: isTold)
        }
    }

    /// Sends a signal of an object's interface.
    func signal(_ member: String, of interface: String, at path: ObjectPath, _ body: [Value]) {
        onBus { (connection) throws(BusError) in
            try connection.send(.signal(from: path, interface, member, body))
        }
    }

    func value(_ property: String, of interface: String, at path: ObjectPath) -> Value? {
        connection.assumeIsolated { $0.value(property, of: interface, at: path) }
    }

    /// Calls a method of an application, and hands over the reply's body or why there is none.
    func call(
        _ owner: String,
        at path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ body: [Value] = [],
        completion:
            @escaping @Sendable (isolated VirtualDaemon, Result<[Value], ErrorReply>) -> Void
    ) {
        onBus { (connection) throws(BusError) in
            let message = try Message.methodCall(to: owner, at: path, interface, member, body)
            // The daemon's own clock says when an application is too slow.
            connection.call(message, timeLimit: .seconds(3600)) { [weak daemon] result in
                let result = Self.body(of: result)
                daemon?.assumeIsolated { completion($0, result) }
            }
        }
    }

    static func body(of result: Result<Message, any Error>) -> Result<[Value], ErrorReply> {
        Result {
            try result.get().body()
        }.mapError { error in
            error as? ErrorReply ?? ErrorReply(.failed, "\(error)")
        }
    }

    private func onBus(_ use: (isolated Connection) throws(BusError) -> Void) {
        do {
            try connection.assumeIsolated(use)
        } catch let error as BusError where error.code != .disconnected {
            // Also of what is too long for a message, as texts of clients may be together.
            daemon?.assumeIsolated { $0.giveUp(error) }
        } catch {
            // The bus is gone, and with it all who would receive this.
        }
    }

    /// A method whose handler runs on the daemon.
    func method(
        _ name: String,
        _ arguments: [(String, Signature)] = [],
        returns results: [(String, Signature)] = [],
        _ handler: @escaping @Sendable (isolated VirtualDaemon, MethodCall) -> Void
    ) -> ExportedInterface.Method {
        ExportedInterface.Method(
            name,
            arguments: arguments.map { ExportedInterface.Argument($0.0, $0.1) },
            results: results.map { ExportedInterface.Argument($0.0, $0.1) }
        ) { [weak daemon] call in
            daemon?.assumeIsolated { handler($0, call) }
        }
    }
}

extension MethodCall {
    /// What was called with; the bus has checked the types.
    var arguments: [Value] {
        (try? message.body()) ?? []
    }

    /// Replies without values, or refuses.
    func finish(_ refusal: ErrorReply?) {
        if let refusal { fail(refusal) } else { reply() }
    }
}
