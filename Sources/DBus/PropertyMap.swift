/// The properties of one interface of one object.
///
/// What arrives stays marshalled until a property is asked for: of the 20 properties of a device
/// that was heard in a scan, a program reads a few. The first change unpacks them all.
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

    /// The `a{sv}` that stands next in a message.
    ///
    /// - Throws: ``BusError/Code/unexpectedBody`` when none does.
    package init(_ reader: inout MessageReader) throws(BusError) {
        let isSwapped = reader.isSwapped
        storage = .wire(WireBytes(copying: try reader.takeProperties()), isSwapped: isSwapped)
    }

    /// A property without the variant around it; `nil` when it is absent, or not to be read.
    package subscript(_ name: String) -> Value? {
        switch storage {
        case .values(let values):
            return values[name]
        case .wire:
            var found: Value?
            try? forEach { (property, reader) throws(BusError) in
                if property.equals(name) {
                    found = try reader.readValue()
                } else {
                    try reader.skip()
                }
            }
            return found
        }
    }

    /// All of them, without the variants.
    package var values: [String: Value] {
        if case .values(let values) = storage { return values }
        var all: [String: Value] = [:]
        try? forEach { (name, reader) throws(BusError) in all[name.string] = try reader.readValue()
        }
        return all
    }

    /// Reads each property where it lies; the closure reads or skips the value.
    ///
    /// - Throws: ``BusError/Code/unexpectedBody`` when a value is not of the type that is read.
    package func forEach(
        _ readProperty: (borrowing WireString, inout MessageReader) throws(BusError) -> Void
    ) throws(BusError) {
        switch storage {
        case .wire(let wire, let isSwapped):
            defer { withExtendedLifetime(wire) {} }
            let types: StaticString = "{sv}"
            var reader = MessageReader(
                wire.buffer,
                types: UnsafeBufferPointer(
                    start: types.utf8Start,
                    count: types.utf8CodeUnitCount
                ),
                isSwapped: isSwapped
            )
            try reader.readEntries(readProperty)
        case .values(let values):
            var writer = MessageWriter()
            try writer.write(.properties(values))
            try writer.finish().withUnsafeBufferPointer { (bytes) throws(BusError) in
                let types: StaticString = "a{sv}"
                var reader = MessageReader(
                    UnsafeRawBufferPointer(bytes),
                    types: UnsafeBufferPointer(
                        start: types.utf8Start,
                        count: types.utf8CodeUnitCount
                    ),
                    isSwapped: false
                )
                try reader.readProperties(readProperty)
            }
        }
    }

    /// Takes over what a `PropertiesChanged` says.
    package mutating func apply(_ changed: PropertyMap, invalidated: [String] = []) {
        var values = values
        values.merge(changed.values) { $1 }
        for name in invalidated { values[name] = nil }
        storage = .values(values)
    }
}
