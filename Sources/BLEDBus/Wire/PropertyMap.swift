/// The properties of an object's interface.
///
/// Received properties stay marshalled until they are read: of the 20 properties of a device in a scan,
/// a program reads a few. The first change unmarshals all.
package struct PropertyMap: Sendable {
    private enum Storage: Sendable {
        /// The elements of an `a{sv}`.
        case wire(WireBytes, isSwapped: Bool)
        case values([String: Value])
    }

    private var storage: Storage

    package init(_ values: [String: Value] = [:]) {
        storage = .values(values)
    }

    /// Reads an `a{sv}` from a message.
    ///
    /// - Throws: ``BusError/Code/unexpectedBody`` when the next value is not one.
    package init(_ reader: inout MessageReader) throws(BusError) {
        let isSwapped = reader.isSwapped
        storage = .wire(try reader.takeProperties(), isSwapped: isSwapped)
    }

    /// The value of a property, without its variant; `nil` when there is none, or it cannot be read.
    package subscript(_ name: String) -> Value? {
        switch storage {
        case .values(let values):
            return values[name]
        case .wire(let wire, let isSwapped):
            return try? Self.read(wire, "{sv}", isSwapped) { (reader) throws(BusError) in
                try reader.readEntry(named: name)
            }
        }
    }

    /// All values, without their variants.
    package var values: [String: Value] {
        if case .values(let values) = storage { return values }
        var all: [String: Value] = [:]
        try? forEach { (name, reader) throws(BusError) in all[name.string] = try reader.readValue()
        }
        return all
    }

    /// Reads each property in place; the closure reads or skips the value.
    ///
    /// - Throws: ``BusError/Code/unexpectedBody`` when a value does not have the type that is read.
    package func forEach(
        _ readProperty: (borrowing WireString, inout MessageReader) throws(BusError) -> Void
    ) throws(BusError) {
        switch storage {
        case .wire(let wire, let isSwapped):
            try Self.read(wire, "{sv}", isSwapped) { (reader) throws(BusError) in
                try reader.readEntries(readProperty)
            }
        case .values(let values):
            var writer = MessageWriter()
            try writer.write(.properties(values))
            let wire = WireBytes(copying: writer.finish())
            try Self.read(wire, "a{sv}", false) { (reader) throws(BusError) in
                try reader.readProperties(readProperty)
            }
        }
    }

    private static func read<Output>(
        _ wire: WireBytes,
        _ types: StaticString,
        _ isSwapped: Bool,
        _ readEntries: (inout MessageReader) throws(BusError) -> Output
    ) throws(BusError) -> Output {
        defer { withExtendedLifetime(wire) {} }
        var reader = MessageReader(
            wire,
            types: UnsafeBufferPointer(start: types.utf8Start, count: types.utf8CodeUnitCount),
            isSwapped: isSwapped
        )
        return try readEntries(&reader)
    }

    /// Applies the changes of a `PropertiesChanged`.
    package mutating func apply(_ changed: PropertyMap, invalidated: [String] = []) {
        var values = values
        // Nothing else refers to them, so that they are not copied.
        storage = .values([:])
        values.merge(changed.values) { $1 }
        for name in invalidated { values[name] = nil }
        storage = .values(values)
    }
}
