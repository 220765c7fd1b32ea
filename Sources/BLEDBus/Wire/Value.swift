/// A value of any D-Bus type.
///
/// Source: D-Bus specification, "Type System".
package enum Value: Hashable, Sendable {
    case byte(UInt8)
    case bool(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(ObjectPath)
    case signature(Signature)
    case descriptor(FileDescriptor)
    /// An array of bytes, `ay`.
    case bytes([UInt8])
    /// An array of another type, which has its type even when it is empty.
    case array(of: Signature, [Value])
    /// A dictionary with its entries in order.
    case dictionary(key: Signature, value: Signature, [Entry])
    /// A structure of at least one member.
    case structure([Value])
    indirect case variant(Value)

    /// One entry of a dictionary.
    package struct Entry: Hashable, Sendable {
        package let key: Value
        package let value: Value

        package init(_ key: Value, _ value: Value) {
            self.key = key
            self.value = value
        }
    }
}

extension Value {
    /// An array of strings, `as`.
    package static func strings(_ strings: [String]) -> Value {
        .array(of: "s", strings.map(Value.string))
    }

    /// A dictionary of properties, `a{sv}`, in the order of the keys.
    package static func properties(_ properties: [String: Value]) -> Value {
        let entries = properties.sorted { $0.key < $1.key }
        return .dictionary(
            key: "s",
            value: "v",
            entries.map { Entry(.string($0.key), .variant($0.value)) }
        )
    }

    /// The value's type.
    package var signature: Signature {
        switch self {
        case .byte: "y"
        case .bool: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .descriptor: "h"
        case .bytes: "ay"
        case .array(let element, _): Signature(unchecked: "a" + element.rawValue)
        case .dictionary(let key, let value, _):
            Signature(unchecked: "a{" + key.rawValue + value.rawValue + "}")
        case .structure(let members):
            Signature(
                unchecked: "(" + members.map(\.signature.rawValue).joined() + ")"
            )
        case .variant: "v"
        }
    }
}
