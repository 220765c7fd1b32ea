/// A copy of the objects of a peer's object manager, updated from its signals.
///
/// A value: its owner passes it the reply to `GetManagedObjects` and all later signals of the peer, and
/// gets the changes.
///
/// Source: D-Bus specification, "org.freedesktop.DBus.ObjectManager".
package struct ObjectMirror: Sendable {
    /// A change of an object.
    package enum Change: Sendable {
        case added(ObjectPath, interface: String, PropertyMap)
        case changed(ObjectPath, interface: String, PropertyMap, invalidated: [String])
        case removed(ObjectPath, interface: String)
    }

    /// By interface first: one dictionary for thousands of devices instead of one for each.
    private var interfaces: [String: [ObjectPath: PropertyMap]] = [:]
    private let isWanted: @Sendable (String) -> Bool

    /// - Parameter isWanted: whether to keep an interface, by its name.
    package init(keeping isWanted: @escaping @Sendable (String) -> Bool = { _ in true }) {
        self.isWanted = isWanted
    }

    /// The properties of an object's interface; `nil` when the object does not have it.
    package subscript(_ path: ObjectPath, _ interface: String) -> PropertyMap? {
        interfaces[interface]?[path]
    }

    /// The objects with an interface, in no particular order.
    package func objects(with interface: String) -> [(path: ObjectPath, properties: PropertyMap)] {
        interfaces[interface, default: [:]].map { ($0.key, $0.value) }
    }

    /// Replaces all objects by those in the reply to `GetManagedObjects`.
    ///
    /// - Throws: ``BusError/Code/unexpectedBody``.
    package mutating func load(_ reply: Message) throws(BusError) {
        interfaces = try reply.read { (reader) throws(BusError) in
            var interfaces: [String: [ObjectPath: PropertyMap]] = [:]
            var names = StringCache()
            try reader.readArray { (array) throws(BusError) in
                try array.readEntry { (entry) throws(BusError) in
                    let path = try entry.readObjectPath()
                    try readInterfaces(&entry, &names) { name, properties in
                        interfaces[name, default: [:]][path] = properties
                    }
                }
            }
            return interfaces
        }
    }

    /// Applies a signal of the peer.
    ///
    /// - Returns: the changes in the order of the signal; none for other signals, and for interfaces that
    ///   are not kept or not known.
    /// - Throws: ``BusError/Code/unexpectedBody``.
    package mutating func apply(_ signal: Message) throws(BusError) -> [Change] {
        switch (signal.interface, signal.member) {
        case (StandardInterface.properties, "PropertiesChanged"):
            try change(signal)
        case (StandardInterface.objectManager, "InterfacesAdded"):
            try add(signal)
        case (StandardInterface.objectManager, "InterfacesRemoved"):
            try remove(signal)
        default:
            []
        }
    }

    /// Removes an object's interface; later changes of it are ignored.
    package mutating func remove(_ path: ObjectPath, _ interface: String) {
        interfaces[interface]?[path] = nil
    }

    /// Removes a property of the objects within a path, which the peer takes away without a signal.
    package mutating func forget(
        _ property: String,
        of interface: String,
        within path: ObjectPath
    ) {
        for object in interfaces[interface, default: [:]].keys where object.isWithin(path) {
            interfaces[interface]?[object]?.apply(PropertyMap(), invalidated: [property])
        }
    }

    /// Takes over the reply to `GetAll` for an object's interface.
    ///
    /// - Returns: what is new.
    /// - Throws: ``BusError/Code/unexpectedBody`` for another body.
    package mutating func add(
        _ path: ObjectPath,
        _ interface: String,
        _ reply: Message
    ) throws(BusError) -> Change {
        let properties = try reply.read { (reader) throws(BusError) in try PropertyMap(&reader) }
        interfaces[interface, default: [:]][path] = properties
        return .added(path, interface: interface, properties)
    }

    /// Removes all objects.
    ///
    /// - Returns: the changes, children before their parents.
    package mutating func removeAll() -> [Change] {
        defer { interfaces = [:] }
        return interfaces.flatMap { name, objects in objects.keys.map { (name: name, path: $0) } }
            .sorted { $0.path.rawValue > $1.path.rawValue }
            .map { .removed($0.path, interface: $0.name) }
    }

    private mutating func change(_ signal: Message) throws(BusError) -> [Change] {
        guard let path = signal.path else { return [] }
        let (interface, changed, invalidated) = try signal.read { (reader) throws(BusError) in
            let interface = try reader.readString()
            let changed = try PropertyMap(&reader)
            var invalidated: [String] = []
            try reader.readArray { (array) throws(BusError) in
                invalidated.append(try array.readString())
            }
            return (interface, changed, invalidated)
        }
        guard interfaces[interface]?[path] != nil else { return [] }
        interfaces[interface]?[path]?.apply(changed, invalidated: invalidated)
        return [.changed(path, interface: interface, changed, invalidated: invalidated)]
    }

    private mutating func add(_ signal: Message) throws(BusError) -> [Change] {
        let (path, added) = try signal.read { (reader) throws(BusError) in
            let path = try reader.readObjectPath()
            var names = StringCache()
            var added: [(name: String, properties: PropertyMap)] = []
            try readInterfaces(&reader, &names) { added.append(($0, $1)) }
            return (path, added)
        }
        for (name, properties) in added { interfaces[name, default: [:]][path] = properties }
        return added.map { .added(path, interface: $0.name, $0.properties) }
    }

    private mutating func remove(_ signal: Message) throws(BusError) -> [Change] {
        let (path, names) = try signal.read { (reader) throws(BusError) in
            let path = try reader.readObjectPath()
            var names: [String] = []
            try reader.readArray { (array) throws(BusError) in
                names.append(try array.readString())
            }
            return (path, names)
        }
        let gone = names.filter { interfaces[$0]?.removeValue(forKey: path) != nil }
        return gone.map { .removed(path, interface: $0) }
    }

    /// Reads an `a{sa{sv}}`, and passes on the interfaces to keep.
    private func readInterfaces(
        _ reader: inout MessageReader,
        _ names: inout StringCache,
        _ keep: (String, PropertyMap) -> Void
    ) throws(BusError) {
        try reader.readArray { (array) throws(BusError) in
            try array.readEntry { (entry) throws(BusError) in
                let name = names.string(try entry.readWireString().utf8)
                if isWanted(name) {
                    keep(name, try PropertyMap(&entry))
                } else {
                    try entry.skip()
                }
            }
        }
    }
}
