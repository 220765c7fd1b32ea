internal import BLEDBus
internal import Logging

extension Connection {
    /// Calls bluetoothd, and writes call and reply into the log; on the loop.
    ///
    /// - Parameters:
    ///   - message: the call.
    ///   - logger: takes both at the level `debug`.
    ///   - timeLimit: how long to wait for the reply.
    ///   - completion: called on the loop, at the reply's place among the signals.
    nonisolated func request(
        _ message: Message,
        _ logger: Logger,
        timeLimit: Duration = Connection.defaultTimeLimit,
        _ completion: @escaping @Sendable (Result<Message, any Error>) -> Void
    ) {
        logger.debug("→ \(message.callDescription)")
        assumeIsolated { connection in
            connection.call(message, timeLimit: timeLimit) { result in
                switch result {
                case .success: logger.debug("← \(message.callDescription)")
                case .failure(let error): logger.debug("← \(message.callDescription): \(error)")
                }
                completion(result)
            }
        }
    }
}

extension Message {
    /// A call of bluetoothd.
    ///
    /// Its names stand in the source and its paths are checked, so it can always be made.
    static func bluez(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ body: [Value] = []
    ) -> Message {
        do {
            return try .methodCall(to: "org.bluez", at: path, interface, member, body)
        } catch {
            preconditionFailure("\(interface).\(member) on \(path) can't be called: \(error)")
        }
    }

    /// Asks for all objects of bluetoothd.
    static var managedObjects: Message {
        .bluez(.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    }

    /// Asks for one property.
    static func property(_ name: String, of interface: String, at path: ObjectPath) -> Message {
        .bluez(
            path,
            "org.freedesktop.DBus.Properties",
            "Get",
            [.string(interface), .string(name)]
        )
    }

    /// What is called on what, for people.
    var callDescription: String {
        "\(member ?? "") on \(path?.rawValue ?? "")"
    }
}
