extension Value {
    /// The value without the variants around it.
    package var unwrapped: Value {
        if case .variant(let inner) = self { inner.unwrapped } else { self }
    }

    package var bool: Bool? {
        if case .bool(let value) = unwrapped { value } else { nil }
    }

    package var string: String? {
        if case .string(let value) = unwrapped { value } else { nil }
    }

    package var objectPath: ObjectPath? {
        if case .objectPath(let value) = unwrapped { value } else { nil }
    }

    package var bytes: [UInt8]? {
        if case .bytes(let value) = unwrapped { value } else { nil }
    }

    package var descriptor: FileDescriptor? {
        if case .descriptor(let value) = unwrapped { value } else { nil }
    }

    /// Any of the integers, if it fits.
    package var integer: Int? {
        switch unwrapped {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(value)
        case .int64(let value): Int(exactly: value)
        case .uint64(let value): Int(exactly: value)
        default: nil
        }
    }

    /// A `q`, and no other integer.
    package var uint16: UInt16? {
        guard case .uint16(let value) = unwrapped else { return nil }
        return value
    }

    /// An `n`, and no other integer.
    package var int16: Int16? {
        guard case .int16(let value) = unwrapped else { return nil }
        return value
    }

    /// The elements of an array other than `ay`.
    package var array: [Value]? {
        if case .array(_, let elements) = unwrapped { elements } else { nil }
    }

    /// An array of strings, `as`.
    package var strings: [String]? {
        array.flatMap { elements in
            let strings = elements.compactMap(\.string)
            return strings.count == elements.count ? strings : nil
        }
    }

    /// The members of a structure.
    package var members: [Value]? {
        if case .structure(let members) = unwrapped { members } else { nil }
    }

    /// The entries of a dictionary, in order.
    package var entries: [Entry]? {
        if case .dictionary(_, _, let entries) = unwrapped { entries } else { nil }
    }

    /// A dictionary with strings as keys, its values without variants; the last of duplicate keys.
    package var properties: [String: Value]? {
        guard case .dictionary("s", _, let entries) = unwrapped else { return nil }
        return Dictionary(
            entries.compactMap { entry in entry.key.string.map { ($0, entry.value.unwrapped) } },
            uniquingKeysWith: { $1 }
        )
    }
}
