/// A valid path of an object, `/org/bluez/hci0`.
///
/// Source: D-Bus specification, "Valid Object Paths".
package struct ObjectPath: Hashable, Sendable {
    package let rawValue: String

    /// The root, `/`.
    package static let root = ObjectPath(unchecked: "/")

    /// - Throws: ``BusError/Code/invalidMessage`` for a text that is not a path.
    package init(_ text: String) throws(BusError) {
        guard Self.isValid(text) else {
            throw BusError(.invalidMessage, "'\(text)' is not an object path")
        }
        rawValue = text
    }

    /// A path that is known to be valid.
    init(unchecked text: String) {
        rawValue = text
    }

    private static func isValid(_ text: String) -> Bool {
        var previous: UInt8 = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "/"):
                guard previous != byte else { return false }
            case _ where byte.isNameByte:
                guard previous != 0 else { return false }
            default:
                return false
            }
            previous = byte
        }
        return previous != 0 && (previous != UInt8(ascii: "/") || text.utf8.count == 1)
    }

    /// The path of the parent; `nil` for the root.
    package var parent: ObjectPath? {
        guard rawValue.utf8.count > 1, let slash = rawValue.utf8.lastIndex(of: UInt8(ascii: "/"))
        else { return nil }
        return slash == rawValue.startIndex
            ? .root : ObjectPath(unchecked: String(rawValue[..<slash]))
    }

    /// The last component; empty for the root.
    package var lastComponent: Substring {
        rawValue.utf8.lastIndex(of: UInt8(ascii: "/")).map {
            rawValue[rawValue.index(after: $0)...]
        } ?? ""
    }

    /// Returns the path of a child.
    ///
    /// - Throws: ``BusError/Code/invalidMessage`` for a name with characters other than letters, digits
    ///   and `_`.
    package func appending(_ name: String) throws(BusError) -> ObjectPath {
        try ObjectPath(rawValue == "/" ? "/" + name : rawValue + "/" + name)
    }

    /// Returns whether this is the other path or one below it.
    package func isWithin(_ other: ObjectPath) -> Bool {
        guard other.rawValue.utf8.count > 1 else { return true }
        guard rawValue.utf8.starts(with: other.rawValue.utf8) else { return false }
        let rest = rawValue.utf8.dropFirst(other.rawValue.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/")
    }
}

extension ObjectPath: ExpressibleByStringLiteral {
    /// A path from a literal, which must be valid.
    package init(stringLiteral text: String) {
        // Not in release builds: there it would take 1,000 instructions each time.
        assert(Self.isValid(text), "'\(text)' is not an object path")
        rawValue = text
    }
}

extension ObjectPath: CustomStringConvertible {
    package var description: String { rawValue }
}
