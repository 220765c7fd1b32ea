/// Marshals values, one after the other, in this machine's byte order.
///
/// What libdbus would abort over, or what would make the bus end the connection, is refused here.
///
/// Source: D-Bus specification, "Marshaling (Wire Format)".
package struct MessageWriter {
    private(set) var bytes: [UInt8] = []
    private(set) var descriptors: [FileDescriptor] = []

    private static let maximumArrayByteCount = 1 << 26
    private static let maximumMessageByteCount = 1 << 27
    private static let maximumDepth = 32

    package init() {}

    /// Appends one value.
    ///
    /// - Throws: ``BusError/Code/invalidMessage``.
    package mutating func write(_ value: Value) throws(BusError) {
        try write(value, depth: 0)
        guard bytes.count <= Self.maximumMessageByteCount else {
            throw BusError(.invalidMessage, "a message of \(bytes.count) bytes is too long")
        }
    }

    private mutating func write(_ value: Value, depth: Int) throws(BusError) {
        guard depth <= Self.maximumDepth else {
            throw BusError(.invalidMessage, "values are nested deeper than \(Self.maximumDepth)")
        }
        switch value {
        case .byte(let number): bytes.append(number)
        case .bool(let truth): append(UInt32(truth ? 1 : 0))
        case .int16(let number): append(number)
        case .uint16(let number): append(number)
        case .int32(let number): append(number)
        case .uint32(let number): append(number)
        case .int64(let number): append(number)
        case .uint64(let number): append(number)
        case .double(let number): append(number.bitPattern)
        case .string(let text): try append(text)
        case .objectPath(let path): try append(path.rawValue)
        case .signature(let signature): appendSignature(signature.rawValue)
        case .descriptor(let descriptor):
            append(UInt32(descriptors.count))
            descriptors.append(descriptor)
        case .bytes(let array):
            try checkArray(array.count)
            append(UInt32(array.count))
            bytes.append(contentsOf: array)
        case .array(let type, let elements):
            try writeArray(of: type, elements, depth: depth)
        case .dictionary(let key, let value, let entries):
            try writeDictionary(key, value, entries, depth: depth)
        case .structure(let members):
            guard !members.isEmpty else {
                throw BusError(.invalidMessage, "a structure has no members")
            }
            align(to: 8)
            for member in members { try write(member, depth: depth + 1) }
        case .variant(let content):
            let signature = content.signature
            guard signature.rawValue.utf8.count <= 255 else {
                throw BusError(.invalidMessage, "the type of a variant has more than 255 letters")
            }
            appendSignature(signature.rawValue)
            try write(content, depth: depth + 1)
        }
    }

    private mutating func writeArray(
        of type: Signature,
        _ elements: [Value],
        depth: Int
    ) throws(BusError) {
        guard type.isSingle else {
            throw BusError(.invalidMessage, "'\(type)' is not one type, as an array needs")
        }
        let start = beginArray(aligning: type)
        for element in elements {
            try Self.check(element, is: type)
            try write(element, depth: depth + 1)
        }
        try endArray(from: start)
    }

    private mutating func writeDictionary(
        _ keyType: Signature,
        _ valueType: Signature,
        _ entries: [Value.Entry],
        depth: Int
    ) throws(BusError) {
        guard keyType.rawValue.utf8.count == 1, keyType != "v", valueType.isSingle else {
            throw BusError(.invalidMessage, "'{\(keyType)\(valueType)}' is no dictionary's entry")
        }
        let start = beginArray(aligning: "x")
        for entry in entries {
            try Self.check(entry.key, is: keyType)
            try Self.check(entry.value, is: valueType)
            align(to: 8)
            try write(entry.key, depth: depth + 1)
            try write(entry.value, depth: depth + 1)
        }
        try endArray(from: start)
    }

    private static func check(_ value: Value, is type: Signature) throws(BusError) {
        guard value.signature == type else {
            throw BusError(.invalidMessage, "a '\(value.signature)' stands where '\(type)' belongs")
        }
    }

    private func checkArray(_ byteCount: Int) throws(BusError) {
        guard byteCount <= Self.maximumArrayByteCount else {
            throw BusError(.invalidMessage, "an array of \(byteCount) bytes is too long")
        }
    }

    /// Where the array's length stands, and where its elements begin.
    private mutating func beginArray(aligning type: Signature) -> (length: Int, elements: Int) {
        append(UInt32(0))
        let length = bytes.count - 4
        align(to: MessageReader.alignment(of: type.rawValue.utf8.first ?? 0))
        return (length, bytes.count)
    }

    private mutating func endArray(from start: (length: Int, elements: Int)) throws(BusError) {
        let byteCount = bytes.count - start.elements
        try checkArray(byteCount)
        replace(at: start.length, with: UInt32(byteCount))
    }
}

// MARK: - Steps

extension MessageWriter {
    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        align(to: MemoryLayout<Number>.size)
        withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ text: String) throws(BusError) {
        guard !text.utf8.contains(0) else {
            throw BusError(.invalidMessage, "a string has a zero byte: \(text.debugDescription)")
        }
        append(UInt32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
        bytes.append(0)
    }

    mutating func appendSignature(_ text: String) {
        bytes.append(UInt8(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
        bytes.append(0)
    }

    mutating func append(raw: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: raw)
    }

    mutating func align(to alignment: Int) {
        let missing = -bytes.count & (alignment - 1)
        for _ in 0..<missing { bytes.append(0) }
    }

    mutating func replace(at position: Int, with number: UInt32) {
        withUnsafeBytes(of: number) { source in
            for index in 0..<4 { bytes[position + index] = source[index] }
        }
    }

    mutating func reserve(_ byteCount: Int) {
        bytes.reserveCapacity(byteCount)
    }
}
