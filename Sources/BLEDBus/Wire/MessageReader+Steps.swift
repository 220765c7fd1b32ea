/// What the methods that read are made of: checks of types, alignment and lengths.
extension MessageReader {
    @inline(__always)
    mutating func readBetween(
        _ opening: Unicode.Scalar,
        _ closing: Unicode.Scalar,
        _ readMembers: (inout MessageReader) throws(BusError) -> Void
    ) throws(BusError) {
        try expect(opening)
        try align(to: 8)
        try readMembers(&self)
        try expect(closing)
    }

    @inline(__always)
    mutating func expect(_ type: Unicode.Scalar) throws(BusError) {
        guard nextType == UInt8(ascii: type) else { throw unexpected("'\(type)'") }
        typePosition += 1
    }

    @inline(__always)
    mutating func align(to alignment: Int) throws(BusError) {
        position = (position + alignment - 1) & -alignment
        guard position <= bytes.count else { throw Self.truncated }
    }

    @inline(__always)
    mutating func load<Number: FixedWidthInteger & BitwiseCopyable>(
        _ type: Number.Type = Number.self
    ) throws(BusError) -> Number {
        let size = MemoryLayout<Number>.size
        try align(to: size)
        guard position + size <= bytes.count else { throw Self.truncated }
        let number = bytes.loadUnaligned(fromByteOffset: position, as: Number.self)
        position += size
        return isSwapped ? number.byteSwapped : number
    }

    @inline(__always)
    mutating func take(_ count: Int) throws(BusError) -> UnsafeRawBufferPointer {
        guard count <= bytes.count - position else { throw Self.truncated }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    /// The bytes of a string or a path: length, bytes, zero.
    @inline(__always)
    mutating func span() throws(BusError) -> UnsafeBufferPointer<UInt8> {
        try text(Int(try load(UInt32.self)))
    }

    @inline(__always)
    mutating func signatureSpan() throws(BusError) -> UnsafeBufferPointer<UInt8> {
        try text(Int(try load(UInt8.self)))
    }

    @inline(__always)
    mutating func text(_ count: Int) throws(BusError) -> UnsafeBufferPointer<UInt8> {
        let text = try take(count).assumingMemoryBound(to: UInt8.self)
        _ = try take(1)
        return text
    }

    /// The complete type that begins at a position of the signature.
    func signature(from start: Int) -> Signature {
        let end = Signature.endOfType(types, at: start)
        return Signature(
            unchecked: String(
                decoding: UnsafeBufferPointer(rebasing: types[start..<end]),
                as: UTF8.self
            )
        )
    }

    static func alignment(of type: UInt8) -> Int {
        switch type {
        case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): 1
        case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "("),
            UInt8(ascii: "{"):
            8
        default: 4
        }
    }

    static var truncated: BusError {
        BusError(.unexpectedBody, "a message ends in the middle of a value")
    }

    @inline(never)
    func unexpected(_ wanted: String) -> BusError {
        let found = nextType == 0 ? "the end" : "'\(Unicode.Scalar(nextType))'"
        return BusError(
            .unexpectedBody,
            "expected \(wanted) in a message, found \(found)"
        )
    }
}
