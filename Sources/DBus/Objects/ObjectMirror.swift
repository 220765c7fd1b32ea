/// A peer's objects as its object manager tells them, kept up to date from its signals.
///
/// A value: whoever owns it feeds it with the reply to `GetManagedObjects` and with every signal of
/// the peer behind it, and learns what is new.
///
/// Source: D-Bus specification, "org.freedesktop.DBus.ObjectManager".
package struct ObjectMirror: Sendable {
    /// What is new.
    package enum Change: Sendable {
        case added(ObjectPath, interface: String, PropertyMap)
        case changed(ObjectPath, interface: String, PropertyMap, invalidated: [String])
        case removed(ObjectPath, interface: String)
    }

    /// By interface first: that takes one dictionary for thousands of devices, not one for each.
    private var interfaces: [String: [ObjectPath: PropertyMap]] = [:]
    private let isWanted: @Sendable (String) -> Bool

    /// - Parameter isWanted: which interfaces are kept, by name.
    package init(keeping isWanted: @escaping @Sendable (String) -> Bool = { _ in true }) {
        self.isWanted = isWanted
    }

    /// The properties of an object's interface; `nil` when it has none.
    package subscript(_ path: ObjectPath, _ interface: String) -> PropertyMap? {
        interfaces[interface]?[path]
    }

    /// All objects that have an interface, in no order.
    package func objects(with interface: String) -> [(path: ObjectPath, properties: PropertyMap)] {
        interfaces[interface, default: [:]].map { ($0.key, $0.value) }
    }

    /// Begins anew from the reply to `GetManagedObjects`.
    ///
    /// - Throws: ``BusError/Code/unexpectedBody`` for another body.
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

    /// Takes over a signal of the peer.
    ///
    /// - Returns: what is new, in the order in which the signal tells it; nothing for a signal that
    ///   says nothing of objects or properties, or of an interface that is not kept or not known.
    /// - Throws: ``BusError/Code/unexpectedBody`` for a signal with another body than its name asks
    ///   for.
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

    /// Forgets an object's interface; its changes are then those of one that is not known.
    package mutating func remove(_ path: ObjectPath, _ interface: String) {
        interfaces[interface]?[path] = nil
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

    /// Forgets everything.
    ///
    /// - Returns: what is gone, what lies deeper first.
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

    /// Reads an `a{sa{sv}}`; those interfaces that are kept are handed over.
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
