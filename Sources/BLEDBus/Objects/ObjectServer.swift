/// The exported objects of a connection and their standard interfaces.
///
/// A value: it decides how to serve a call, and the connection does so.
///
/// Source: D-Bus specification, "Standard Interfaces".
struct ObjectServer {
    /// How to serve a call.
    enum Action {
        case reply([Value])
        case fail(ErrorReply)
        case invoke(@Sendable (MethodCall) -> Void)
        case set(@Sendable (MethodCall, String, Value) -> Void, property: String, Value)
    }

    private struct Object {
        var interfaces: [ExportedInterface]

        /// `Introspectable`, and `Properties` if there are any.
        var standardInterfaces: [String] {
            let hasProperties = interfaces.contains { !$0.properties.isEmpty || !$0.values.isEmpty }
            return [StandardInterface.introspectable]
                + (hasProperties ? [StandardInterface.properties] : [])
        }
    }

    private var objects: [ObjectPath: Object] = [:]
    private var managers: Set<ObjectPath> = []

    // MARK: - Tree

    /// Adds interfaces to an object, and replaces those that it has already.
    ///
    /// - Returns: the signals of the object managers above.
    mutating func add(
        _ interfaces: [ExportedInterface],
        at path: ObjectPath
    ) throws(BusError) -> [Message] {
        for interface in interfaces where !Names.isInterface(interface.name) {
            throw BusError(.invalidMessage, "'\(interface.name)' is not an interface name")
        }
        let old = objects[path]?.standardInterfaces ?? []
        let names = Set(interfaces.map(\.name))
        let kept = objects[path]?.interfaces.filter { !names.contains($0.name) } ?? []
        let object = Object(interfaces: kept + interfaces)
        objects[path] = object
        let new = object.standardInterfaces.filter { !old.contains($0) }
        let told = Self.description(of: interfaces, standard: new)
        return try managers(of: path).map { (manager) throws(BusError) in
            try .signal(
                from: manager,
                StandardInterface.objectManager,
                "InterfacesAdded",
                [.objectPath(path), told]
            )
        }
    }

    /// Removes interfaces of an object, or the whole object.
    ///
    /// - Returns: the signals of the object managers above.
    mutating func remove(
        _ names: [String]?,
        at path: ObjectPath
    ) throws(BusError) -> [Message] {
        guard let object = objects[path] else { return [] }
        let gone = object.interfaces.map(\.name).filter { names?.contains($0) ?? true }
        guard !gone.isEmpty else { return [] }
        let kept = object.interfaces.filter { !gone.contains($0.name) }
        objects[path] = kept.isEmpty ? nil : Object(interfaces: kept)
        let told = kept.isEmpty ? gone + object.standardInterfaces : gone
        return try managers(of: path).map { (manager) throws(BusError) in
            try .signal(
                from: manager,
                StandardInterface.objectManager,
                "InterfacesRemoved",
                [.objectPath(path), .strings(told)]
            )
        }
    }

    mutating func addManager(at path: ObjectPath) {
        managers.insert(path)
    }

    mutating func removeManager(at path: ObjectPath) {
        managers.remove(path)
    }

    private func managers(of path: ObjectPath) -> [ObjectPath] {
        managers.filter { path.isWithin($0) && path != $0 }
            .sorted { $0.rawValue < $1.rawValue }
    }

    // MARK: - Properties

    /// Changes properties; `nil` removes one.
    ///
    /// - Returns: `PropertiesChanged`, even when no value has changed.
    mutating func update(
        _ changes: [String: Value?],
        of interface: String,
        at path: ObjectPath
    ) throws(BusError) -> Message? {
        guard let index = index(of: interface, at: path) else { return nil }
        for (name, value) in changes {
            objects[path]?.interfaces[index].values[name] = value
        }
        return try .signal(
            from: path,
            StandardInterface.properties,
            "PropertiesChanged",
            [
                .string(interface),
                .properties(changes.compactMapValues { $0 }),
                .strings(changes.filter { $0.value == nil }.keys.sorted()),
            ]
        )
    }

    func value(_ property: String, of interface: String, at path: ObjectPath) -> Value? {
        index(of: interface, at: path).flatMap { objects[path]?.interfaces[$0].values[property] }
    }

    private func index(of interface: String, at path: ObjectPath) -> Int? {
        objects[path]?.interfaces.firstIndex { $0.name == interface }
    }

    // MARK: - Calls

    func action(for call: Message) -> Action {
        guard let path = call.path, let member = call.member else { return unknown(call) }
        let interfaces = objects[path]?.interfaces ?? []
        for interface in interfaces where call.interface ?? interface.name == interface.name {
            guard let method = interface.methods.first(where: { $0.name == member }) else {
                continue
            }
            let types = method.arguments.map(\.type.rawValue).joined()
            guard call.signature.rawValue == types else { return unknown(call) }
            return .invoke(method.handler)
        }
        return standardAction(for: call, at: path) ?? unknown(call)
    }

    private func standardAction(for call: Message, at path: ObjectPath) -> Action? {
        switch (call.interface ?? "", call.member ?? "", call.signature) {
        case (StandardInterface.peer, "Ping", ""):
            return .reply([])
        case (StandardInterface.peer, "GetMachineId", ""):
            return StandardInterface.machineID.map { .reply([.string($0)]) }
        case (StandardInterface.introspectable, "Introspect", ""):
            return introspection(of: path).map { .reply([.string($0)]) }
        case (StandardInterface.objectManager, "GetManagedObjects", ""):
            return managers.contains(path) ? .reply([managedObjects(below: path)]) : nil
        case (StandardInterface.properties, let member, _):
            let standard = objects[path]?.standardInterfaces ?? []
            guard standard.contains(StandardInterface.properties) else { return nil }
            return propertiesAction(member, call, at: path)
        default:
            return nil
        }
    }

    private func propertiesAction(
        _ member: String,
        _ call: Message,
        at path: ObjectPath
    ) -> Action? {
        guard let body = try? call.body(), let name = body.first?.string else { return nil }
        if [StandardInterface.introspectable, StandardInterface.properties].contains(name),
            call.signature == "s"
        {
            return .reply([.properties([:])])
        }
        guard let index = index(of: name, at: path),
            let interface = objects[path]?.interfaces[index]
        else {
            return .fail(ErrorReply(.invalidArguments, "No such interface '\(name)'"))
        }
        switch (member, call.signature) {
        case ("GetAll", "s"):
            return .reply([.properties(interface.values)])
        case ("Get", "ss"):
            guard let property = body[1].string, let value = interface.values[property] else {
                return .fail(
                    ErrorReply(.invalidArguments, "No such property '\(body[1].string ?? "")'")
                )
            }
            return .reply([.variant(value)])
        case ("Set", "ssv"):
            return setAction(body[1].string ?? "", body[2].unwrapped, interface)
        default:
            return nil
        }
    }

    private func setAction(
        _ name: String,
        _ value: Value,
        _ interface: ExportedInterface
    ) -> Action {
        guard let property = interface.properties.first(where: { $0.name == name }) else {
            return .fail(ErrorReply(.unknownProperty, "No such property '\(name)'"))
        }
        guard property.isWritable, let onSet = interface.onSet else {
            return .fail(ErrorReply(.propertyReadOnly, "Property '\(name)' is not writable"))
        }
        guard value.signature == property.type else {
            return .fail(ErrorReply(.invalidSignature, "Invalid signature for '\(name)'"))
        }
        return .set(onSet, property: name, value)
    }

    /// The error of libdbus for a call that nobody has handled.
    private func unknown(_ call: Message) -> Action {
        let path = call.path ?? .root
        let text = """
            Method "\(call.member ?? "")" with signature "\(call.signature)" on interface \
            "\(call.interface ?? "(null)")" doesn't exist

            """
        return .fail(ErrorReply(isKnown(path) ? .unknownMethod : .unknownObject, text))
    }

    // MARK: - Descriptions

    /// Whether an object is exported at a path or below it.
    private func isKnown(_ path: ObjectPath) -> Bool {
        managers.contains(path) || objects.keys.contains { $0.isWithin(path) }
    }

    private func managedObjects(below manager: ObjectPath) -> Value {
        // Parents first, as GLib and BlueZ do: bluetoothctl ignores a device whose adapter comes later.
        let entries = objects.filter { $0.key.isWithin(manager) && $0.key != manager }
            .sorted { $0.key.rawValue < $1.key.rawValue }
            .map { path, object in
                Value.Entry(
                    .objectPath(path),
                    Self.description(
                        of: object.interfaces,
                        standard: object.standardInterfaces
                    )
                )
            }
        return .dictionary(key: "o", value: "a{sa{sv}}", entries)
    }

    /// Interfaces with their properties, `a{sa{sv}}`.
    private static func description(
        of interfaces: [ExportedInterface],
        standard: [String]
    ) -> Value {
        func entry(_ name: String, _ values: [String: Value]) -> Value.Entry {
            Value.Entry(.string(name), .properties(values))
        }
        let entries = standard.map { entry($0, [:]) } + interfaces.map { entry($0.name, $0.values) }
        return .dictionary(key: "s", value: "a{sv}", entries)
    }

    private func introspection(of path: ObjectPath) -> String? {
        guard isKnown(path) else { return nil }
        let prefix = path == .root ? "/" : path.rawValue + "/"
        let children = Set(
            objects.keys.filter { $0.isWithin(path) && $0 != path }
                .compactMap { $0.rawValue.dropFirst(prefix.count).split(separator: "/").first }
        )
        return Introspection.xml(
            interfaces: objects[path]?.interfaces ?? [],
            hasProperties: objects[path]?.standardInterfaces
                .contains(StandardInterface.properties) == true,
            managesObjects: managers.contains(path),
            isExported: objects[path] != nil || managers.contains(path),
            children: children.map(String.init).sorted()
        )
    }
}
