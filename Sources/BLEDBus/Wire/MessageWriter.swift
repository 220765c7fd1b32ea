internal import Glibc

/// Marshals values one after the other, in this machine's byte order.
///
/// Values that would make libdbus abort, or the bus close the connection, are refused.
///
/// Source: D-Bus specification, "Marshaling (Wire Format)".
package struct MessageWriter {
    /// Zeros follow what has been written, so padding needs no writing.
    ///
    /// Storing at a position instead of appending saves a call 900 of 76,000 instructions.
    private var buffer: [UInt8]
    private var position = 0
    private(set) var descriptors: [FileDescriptor] = []

    private static let maximumArrayByteCount = 1 << 26
    /// What a system bus takes; a sender of more it disconnects.
    private static let maximumMessageByteCount = 1 << 25
    private static let maximumDepth = 32

    /// - Parameter byteCount: about how much will be written.
    package init(reserving byteCount: Int = 64) {
        buffer = Array(repeating: 0, count: byteCount)
    }

    /// Returns what has been written.
    consuming func finish() -> [UInt8] {
        buffer.removeLast(buffer.count - position)
        return buffer
    }

    /// Writes a value.
    ///
    /// - Throws: ``BusError/Code/invalidMessage``.
    package mutating func write(_ value: Value) throws(BusError) {
        try write(value, depth: 0)
        try checkMessage()
    }

    /// Checks that what has been written is no longer than a message may be.
    ///
    /// - Throws: ``BusError/Code/invalidMessage``.
    func checkMessage() throws(BusError) {
        guard position <= Self.maximumMessageByteCount else {
            throw BusError(.invalidMessage, "a message of \(position) bytes is too long")
        }
    }

    private mutating func write(_ value: Value, depth: Int) throws(BusError) {
        guard depth <= Self.maximumDepth else {
            throw BusError(.invalidMessage, "values are nested deeper than \(Self.maximumDepth)")
        }
        switch value {
        case .byte(let number): append(number)
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
            array.withUnsafeBytes { append(raw: $0) }
        case .array(let type, let elements):
            try writeArray(of: type, elements, depth: depth)
        case .dictionary(let key, let value, let entries):
            try writeDictionary(key, value, entries, depth: depth)
        case .structure(let members):
            guard !members.isEmpty else {
                throw BusError(.invalidMessage, "a structure needs a member")
            }
            align(to: 8)
            for member in members { try write(member, depth: depth + 1) }
        case .variant(let content):
            let signature = content.signature
            guard signature.rawValue.utf8.count <= 255 else {
                throw BusError(.invalidMessage, "the type of a variant is longer than 255 letters")
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
            throw BusError(.invalidMessage, "'\(type)' is not the type of an array's elements")
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
            throw BusError(
                .invalidMessage,
                "'{\(keyType)\(valueType)}' is not the type of a dictionary's entries"
            )
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
            throw BusError(
                .invalidMessage,
                "expected a value of type '\(type)', got '\(value.signature)'"
            )
        }
    }

    private func checkArray(_ byteCount: Int) throws(BusError) {
        guard byteCount <= Self.maximumArrayByteCount else {
            throw BusError(.invalidMessage, "an array of \(byteCount) bytes is too long")
        }
    }

    /// Begins an array, and returns the positions of its length and of its elements.
    private mutating func beginArray(aligning type: Signature) -> (length: Int, elements: Int) {
        append(UInt32(0))
        let length = position - 4
        align(to: MessageReader.alignment(of: type.rawValue.utf8.first ?? 0))
        return (length, position)
    }

    private mutating func endArray(from start: (length: Int, elements: Int)) throws(BusError) {
        let byteCount = position - start.elements
        try checkArray(byteCount)
        replace(at: start.length, with: UInt32(byteCount))
    }
}

// MARK: - Steps

extension MessageWriter {
    /// How many bytes have been written.
    var count: Int { position }

    mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
        align(to: MemoryLayout<Number>.size)
        grow(by: MemoryLayout<Number>.size)
        replace(at: position, with: number)
        position += MemoryLayout<Number>.size
    }

    mutating func append(_ text: String) throws(BusError) {
        append(UInt32(text.utf8.count))
        guard append(utf8: text) else {
            throw BusError(.invalidMessage, "a string has a zero byte: \(text.debugDescription)")
        }
    }

    mutating func appendSignature(_ text: String) {
        append(UInt8(text.utf8.count))
        _ = append(utf8: text)
    }

    /// - Returns: whether the text has no zero byte.
    private mutating func append(utf8 text: String) -> Bool {
        var text = text
        return text.withUTF8 { text in
            append(raw: UnsafeRawBufferPointer(text))
            append(UInt8(0))
            return text.baseAddress.map { memchr($0, 0, text.count) == nil } ?? true
        }
    }

    mutating func append(raw bytes: UnsafeRawBufferPointer) {
        grow(by: bytes.count)
        buffer.withUnsafeMutableBytes { buffer in
            buffer[position..<position + bytes.count].copyBytes(from: bytes)
        }
        position += bytes.count
    }

    mutating func align(to alignment: Int) {
        position = (position + alignment - 1) & -alignment
        grow(by: 0)
    }

    mutating func replace<Number: BitwiseCopyable>(at position: Int, with number: Number) {
        buffer.withUnsafeMutableBytes {
            $0.storeBytes(of: number, toByteOffset: position, as: Number.self)
        }
    }

    private mutating func grow(by byteCount: Int) {
        let missing = position + byteCount - buffer.count
        guard missing > 0 else { return }
        // An array, as `repeatElement` is appended byte by byte in builds that are not optimised.
        buffer.append(contentsOf: [UInt8](repeating: 0, count: max(missing, buffer.count)))
    }
}
