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

    private var objects: [ObjectPath: [String: PropertyMap]] = [:]
    private let isWanted: @Sendable (String) -> Bool

    /// - Parameter isWanted: which interfaces are kept, by name.
    package init(keeping isWanted: @escaping @Sendable (String) -> Bool = { _ in true }) {
        self.isWanted = isWanted
    }

    /// The properties of an object's interface; `nil` when it has none.
    package subscript(_ path: ObjectPath, _ interface: String) -> PropertyMap? {
        objects[path]?[interface]
    }

    /// All objects that have an interface, in no order.
    package func objects(with interface: String) -> [(path: ObjectPath, properties: PropertyMap)] {
        objects.compactMap { path, interfaces in interfaces[interface].map { (path, $0) } }
    }

    /// Begins anew from the reply to `GetManagedObjects`.
    ///
    /// - Throws: ``BusError/Code/unexpectedBody`` for another body.
    package mutating func load(_ reply: Message) throws(BusError) {
        objects = try reply.read { (reader) throws(BusError) in
            var objects: [ObjectPath: [String: PropertyMap]] = [:]
            try reader.readArray { (array) throws(BusError) in
                try array.readEntry { (entry) throws(BusError) in
                    let path = try entry.readObjectPath()
                    let interfaces = try readInterfaces(&entry)
                    if !interfaces.isEmpty { objects[path] = interfaces }
                }
            }
            return objects
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

    /// Forgets everything.
    ///
    /// - Returns: what is gone, what lies deeper first.
    package mutating func removeAll() -> [Change] {
        defer { objects = [:] }
        return objects.sorted { $0.key.rawValue > $1.key.rawValue }
            .flatMap { path, interfaces in
                interfaces.keys.map { Change.removed(path, interface: $0) }
            }
    }

    private mutating func change(_ signal: Message) throws(BusError) -> [Change] {
        guard let path = signal.path, objects[path] != nil else { return [] }
        let (interface, changed, invalidated) = try signal.read { (reader) throws(BusError) in
            let interface = try reader.readString()
            let changed = try PropertyMap(&reader)
            var invalidated: [String] = []
            try reader.readArray { (array) throws(BusError) in
                invalidated.append(try array.readString())
            }
            return (interface, changed, invalidated)
        }
        guard objects[path]?[interface] != nil else { return [] }
        objects[path]?[interface]?.apply(changed, invalidated: invalidated)
        return [.changed(path, interface: interface, changed, invalidated: invalidated)]
    }

    private mutating func add(_ signal: Message) throws(BusError) -> [Change] {
        let (path, interfaces) = try signal.read { (reader) throws(BusError) in
            (try reader.readObjectPath(), try readInterfaces(&reader))
        }
        guard !interfaces.isEmpty else { return [] }
        objects[path, default: [:]].merge(interfaces) { $1 }
        return interfaces.sorted { $0.key < $1.key }
            .map { .added(path, interface: $0.key, $0.value) }
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
        let gone = names.filter { objects[path]?.removeValue(forKey: $0) != nil }
        if objects[path]?.isEmpty == true { objects[path] = nil }
        return gone.map { .removed(path, interface: $0) }
    }

    /// An `a{sa{sv}}`, without the interfaces that are not kept.
    private func readInterfaces(
        _ reader: inout MessageReader
    ) throws(BusError) -> [String: PropertyMap] {
        var interfaces: [String: PropertyMap] = [:]
        try reader.readArray { (array) throws(BusError) in
            try array.readEntry { (entry) throws(BusError) in
                let name = try entry.readString()
                if isWanted(name) {
                    interfaces[name] = try PropertyMap(&entry)
                } else {
                    try entry.skip()
                }
            }
        }
        return interfaces
    }
}
