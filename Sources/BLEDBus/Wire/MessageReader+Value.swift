extension MessageReader {
    /// Reads the next value, whatever its type.
    package mutating func readValue() throws(BusError) -> Value {
        switch nextType {
        case UInt8(ascii: "y"): return .byte(try readByte())
        case UInt8(ascii: "b"): return .bool(try readBool())
        case UInt8(ascii: "n"): return .int16(try readInt16())
        case UInt8(ascii: "q"): return .uint16(try readUInt16())
        case UInt8(ascii: "u"): return .uint32(try readUInt32())
        case UInt8(ascii: "s"): return .string(try readString())
        case UInt8(ascii: "o"): return .objectPath(try readObjectPath())
        case UInt8(ascii: "i"): return .int32(try readInt32())
        case UInt8(ascii: "x"): return .int64(try readInt64())
        case UInt8(ascii: "t"): return .uint64(try readUInt64())
        case UInt8(ascii: "d"): return .double(try readDouble())
        case UInt8(ascii: "g"): return .signature(try readSignature())
        case UInt8(ascii: "h"): return .descriptor(try readDescriptor())
        case UInt8(ascii: "v"):
            var content: Value = .byte(0)
            try readVariant { (inner) throws(BusError) in content = try inner.readValue() }
            return .variant(content)
        case UInt8(ascii: "("):
            var members: [Value] = []
            try readStructure { (inner) throws(BusError) in
                while inner.nextType != UInt8(ascii: ")") { members.append(try inner.readValue()) }
            }
            return .structure(members)
        case UInt8(ascii: "a"): return try readArrayValue()
        default: throw unexpected("a value")
        }
    }

    private mutating func readArrayValue() throws(BusError) -> Value {
        let element = typePosition + 1
        guard element < types.count else { throw unexpected("the type of an array's elements") }
        switch types[element] {
        case UInt8(ascii: "y"):
            return .bytes(try readBytes())
        case UInt8(ascii: "{"):
            let key = signature(from: element + 1)
            let value = signature(from: element + 1 + key.rawValue.utf8.count)
            var entries: [Value.Entry] = []
            try readArray { (array) throws(BusError) in
                try array.readEntry { (entry) throws(BusError) in
                    let key = try entry.readValue()
                    entries.append(Value.Entry(key, try entry.readValue()))
                }
            }
            return .dictionary(key: key, value: value, entries)
        default:
            let type = signature(from: element)
            var elements: [Value] = []
            try readArray { (array) throws(BusError) in elements.append(try array.readValue()) }
            return .array(of: type, elements)
        }
    }

    /// Skips the next value, but for the indices of the file descriptors in it.
    ///
    /// - Parameter indices: where they are added, in their order.
    /// - Throws: ``BusError/Code/unexpectedBody``.
    mutating func readDescriptorIndices(into indices: inout [Int]) throws(BusError) {
        guard mayReferToDescriptors else { return try skip() }
        switch nextType {
        case UInt8(ascii: "h"):
            try expect("h")
            indices.append(Int(try load(UInt32.self)))
        case UInt8(ascii: "v"):
            try readVariant { (inner) throws(BusError) in
                try inner.readDescriptorIndices(into: &indices)
            }
        case UInt8(ascii: "("):
            try readStructure { (inner) throws(BusError) in
                while inner.nextType != UInt8(ascii: ")") {
                    try inner.readDescriptorIndices(into: &indices)
                }
            }
        case UInt8(ascii: "{"):
            try readEntry { (entry) throws(BusError) in
                try entry.readDescriptorIndices(into: &indices)
                try entry.readDescriptorIndices(into: &indices)
            }
        default:
            try readArray { (array) throws(BusError) in
                try array.readDescriptorIndices(into: &indices)
            }
        }
    }

    /// Whether the type of the next value admits file descriptors.
    private var mayReferToDescriptors: Bool {
        types[typePosition..<Signature.endOfType(types, at: typePosition)]
            .contains { $0 == UInt8(ascii: "h") || $0 == UInt8(ascii: "v") }
    }
}
