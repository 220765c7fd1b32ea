import BLEDBus

extension Connection {
    /// Calls a member of one of org.bluez's interfaces, such as `Adapter1`.
    @discardableResult
    func call(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ body: [Value] = []
    ) async throws -> [Value] {
        let call = try Message.methodCall(
            to: "org.bluez",
            at: path,
            "org.bluez.\(interface)",
            member,
            body
        )
        return try await self.call(call).body()
    }

    /// The paths of org.bluez's objects with an interface, such as `Adapter1`.
    func objects(with interface: String) async throws -> [ObjectPath] {
        let call = try Message.methodCall(
            to: "org.bluez",
            at: "/",
            "org.freedesktop.DBus.ObjectManager",
            "GetManagedObjects"
        )
        let objects = try await self.call(call).body().first?.entries ?? []
        return objects.compactMap { object in
            let names = object.value.entries?.compactMap(\.key.string) ?? []
            return names.contains("org.bluez.\(interface)") ? object.key.objectPath : nil
        }
    }

    /// The unique name of who has a name on the bus.
    func owner(of name: String) async throws -> String? {
        let call = try Message.methodCall(
            to: "org.freedesktop.DBus",
            at: "/org/freedesktop/DBus",
            "org.freedesktop.DBus",
            "GetNameOwner",
            [.string(name)]
        )
        do {
            return try await self.call(call).body().first?.string
        } catch let error as ErrorReply where error.name == .nameHasNoOwner {
            return nil
        }
    }

    /// A property of org.bluez.
    func property(
        _ name: String,
        of interface: String,
        at path: ObjectPath
    ) async throws -> Value? {
        try await properties("Get", at: path, [.string("org.bluez.\(interface)"), .string(name)])
    }

    /// Sets a property of org.bluez.
    func set(
        _ name: String,
        of interface: String,
        at path: ObjectPath,
        to value: Value
    ) async throws {
        let arguments: [Value] = [
            .string("org.bluez.\(interface)"), .string(name), .variant(value),
        ]
        _ = try await properties("Set", at: path, arguments)
    }

    private func properties(
        _ method: String,
        at path: ObjectPath,
        _ arguments: [Value]
    ) async throws -> Value? {
        let interface = "org.freedesktop.DBus.Properties"
        let call = try Message.methodCall(to: "org.bluez", at: path, interface, method, arguments)
        return try await self.call(call).body().first?.unwrapped
    }

    /// Waits until a property of org.bluez has a value; it is told when it changes.
    ///
    /// - Throws: ``NeverCame`` when that takes too long.
    func wait(
        for name: String,
        of interface: String,
        at path: ObjectPath,
        within limit: Duration = .seconds(30 * WorldKind.current.slowness),
        toBe isWanted: @escaping @Sendable (Value?) -> Bool
    ) async throws {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        let rule = MatchRule(sender: "org.bluez", path: path)
        let id = try await subscribe(to: rule) { _ in continuation.yield() }
        defer { unsubscribe(id) }
        // The limit alone: what is waited for ends the wait before.
        let alarm = Task {
            try await Task.sleep(for: limit)
            continuation.finish()
        }
        defer { alarm.cancel() }
        continuation.yield()
        var value: Value?
        for await _ in changes {
            value = try await property(name, of: interface, at: path)
            if isWanted(value) { return }
        }
        throw NeverCame(property: "\(interface).\(name) at \(path)", value: value)
    }
}

/// A property did not become what was waited for.
struct NeverCame: Error, CustomStringConvertible {
    let property: String
    let value: Value?

    var description: String {
        "\(property) did not become what it should be; it is \(value.map { "\($0)" } ?? "nothing")"
    }
}
