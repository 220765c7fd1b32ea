/// Reads the marshalled values of a message, one after the other.
///
/// It is lent by ``Message/read(_:)`` and ``PropertyMap/read(_:_:)``, and points into their bytes,
/// so it cannot leave the closure. Each method checks the type that stands next and the length that
/// is left, whatever libdbus has checked before.
///
/// Source: D-Bus specification, "Marshaling (Wire Format)".
package struct MessageReader: ~Copyable {
    private let bytes: UnsafeRawBufferPointer
    /// What the bytes belong to.
    private let wire: WireBytes
    private(set) var position = 0
    private(set) var types: UnsafeBufferPointer<UInt8>
    private(set) var typePosition = 0
    let isSwapped: Bool
    private let descriptors: [FileDescriptor]

    /// - Parameters:
    ///   - wire: what is read; its first byte is aligned to 8 in the message.
    ///   - types: the signature of what is read.
    ///   - isSwapped: whether the sender's byte order is not this machine's.
    ///   - descriptors: what came along with the message.
    init(
        _ wire: WireBytes,
        types: UnsafeBufferPointer<UInt8>,
        isSwapped: Bool,
        descriptors: [FileDescriptor] = []
    ) {
        self.wire = wire
        bytes = wire.buffer
        self.types = types
        self.isSwapped = isSwapped
        self.descriptors = descriptors
    }

    /// The code of the type that stands next; 0 at the end.
    package var nextType: UInt8 {
        typePosition < types.count ? types[typePosition] : 0
    }

    // MARK: - Basic types

    package mutating func readByte() throws(BusError) -> UInt8 {
        try expect("y")
        return try load()
    }

    package mutating func readBool() throws(BusError) -> Bool {
        try expect("b")
        return try load(UInt32.self) != 0
    }

    package mutating func readInt16() throws(BusError) -> Int16 {
        try expect("n")
        return try load()
    }

    package mutating func readUInt16() throws(BusError) -> UInt16 {
        try expect("q")
        return try load()
    }

    package mutating func readUInt32() throws(BusError) -> UInt32 {
        try expect("u")
        return try load()
    }

    package mutating func readInt32() throws(BusError) -> Int32 {
        try expect("i")
        return try load()
    }

    package mutating func readInt64() throws(BusError) -> Int64 {
        try expect("x")
        return try load()
    }

    package mutating func readUInt64() throws(BusError) -> UInt64 {
        try expect("t")
        return try load()
    }

    package mutating func readDouble() throws(BusError) -> Double {
        try expect("d")
        return Double(bitPattern: try load())
    }

    package mutating func readSignature() throws(BusError) -> Signature {
        try expect("g")
        return Signature(unchecked: String(decoding: try signatureSpan(), as: UTF8.self))
    }

    /// A descriptor that came along; libdbus also accepts an index to which none did.
    package mutating func readDescriptor() throws(BusError) -> FileDescriptor {
        try expect("h")
        let index = Int(try load(UInt32.self))
        guard descriptors.indices.contains(index) else {
            throw BusError(
                .unexpectedBody,
                "a message names descriptor \(index) and brought \(descriptors.count)"
            )
        }
        return descriptors[index]
    }

    package mutating func readString() throws(BusError) -> String {
        try expect("s")
        return String(decoding: try span(), as: UTF8.self)
    }

    package mutating func readObjectPath() throws(BusError) -> ObjectPath {
        try expect("o")
        return ObjectPath(unchecked: String(decoding: try span(), as: UTF8.self))
    }

    package mutating func readBytes() throws(BusError) -> [UInt8] {
        try expect("a")
        try expect("y")
        let count = Int(try load(UInt32.self))
        return Array(try take(count))
    }

    // MARK: - Containers

    /// Reads an array; the closure reads one element each time it is called.
    @inline(__always)
    package mutating func readArray(
        _ readElement: (inout MessageReader) throws(BusError) -> Void
    ) throws(BusError) {
        try expect("a")
        let count = Int(try load(UInt32.self))
        try align(to: Self.alignment(of: nextType))
        let end = position + count
        guard end <= bytes.count else { throw Self.truncated }
        let elementType = typePosition
        let behindElement = Signature.endOfType(types, at: elementType)
        while position < end {
            let begin = position
            typePosition = elementType
            try readElement(&self)
            guard typePosition == behindElement else { throw unexpected("all of an element") }
            // An empty structure, which is no type, would be read for ever.
            guard position > begin else { throw unexpected("an element of any size") }
        }
        guard position == end else { throw Self.truncated }
        typePosition = behindElement
    }

    /// Reads a dictionary's entry inside of ``readArray(_:)``: the closure reads key and value.
    @inline(__always)
    package mutating func readEntry(
        _ readMembers: (inout MessageReader) throws(BusError) -> Void
    ) throws(BusError) {
        try readBetween("{", "}", readMembers)
    }

    /// Reads a structure; the closure reads its members.
    package mutating func readStructure(
        _ readMembers: (inout MessageReader) throws(BusError) -> Void
    ) throws(BusError) {
        try readBetween("(", ")", readMembers)
    }

    /// Reads a variant; the closure reads what it holds.
    @inline(__always)
    package mutating func readVariant(
        _ readContent: (inout MessageReader) throws(BusError) -> Void
    ) throws(BusError) {
        try expect("v")
        let outer = (types, typePosition)
        types = try signatureSpan()
        typePosition = 0
        try readContent(&self)
        guard typePosition == types.count else { throw unexpected("all of a variant") }
        (types, typePosition) = outer
    }

    /// Reads the entries of an `a{sv}`; the closure gets each name and reads or skips what stands
    /// in the variant.
    package mutating func readProperties(
        _ readProperty: (borrowing WireString, inout MessageReader) throws(BusError) -> Void
    ) throws(BusError) {
        try readArray { (array) throws(BusError) in
            try array.readPropertyEntry(readProperty)
        }
    }

    /// A string as it stands in the message, without a copy of it.
    package mutating func readWireString() throws(BusError) -> WireString {
        guard nextType == UInt8(ascii: "s") || nextType == UInt8(ascii: "o") else {
            throw unexpected("a string")
        }
        typePosition += 1
        return WireString(utf8: try span())
    }

    /// The bytes of the next array's elements, stepped over.
    mutating func takeArray() throws(BusError) -> UnsafeRawBufferPointer {
        try expect("a")
        let count = Int(try load(UInt32.self))
        try align(to: Self.alignment(of: nextType))
        typePosition = Signature.endOfType(types, at: typePosition)
        return try take(count)
    }

    /// The bytes of the entries of the next `a{sv}`, stepped over.
    ///
    /// Not copied out of the message, which they keep: for the 5,000 devices of one reply that
    /// saves 10,000 allocations and 6 MB.
    mutating func takeProperties() throws(BusError) -> WireBytes {
        let type = types[typePosition...]
        guard type.starts(with: "a{sv}".utf8) else { throw unexpected("'a{sv}'") }
        return wire.part(try takeArray())
    }

    /// Reads all entries when the bytes are those of ``takeProperties()``.
    mutating func readEntries(
        _ readProperty: (borrowing WireString, inout MessageReader) throws(BusError) -> Void
    ) throws(BusError) {
        while position < bytes.count {
            typePosition = 0
            try readPropertyEntry(readProperty)
        }
    }

    /// Reads until an entry of this name when the bytes are those of ``takeProperties()``.
    mutating func readEntry(named name: String) throws(BusError) -> Value? {
        var found: Value?
        while found == nil, position < bytes.count {
            typePosition = 0
            try readPropertyEntry { (property, reader) throws(BusError) in
                if property.equals(name) {
                    found = try reader.readValue()
                } else {
                    try reader.skip()
                }
            }
        }
        return found
    }

    @inline(__always)
    private mutating func readPropertyEntry(
        _ readProperty: (borrowing WireString, inout MessageReader) throws(BusError) -> Void
    ) throws(BusError) {
        try readEntry { (entry) throws(BusError) in
            let name = try entry.readWireString()
            try entry.readVariant { (variant) throws(BusError) in
                try readProperty(name, &variant)
            }
        }
    }

    /// Steps over the next value.
    package mutating func skip() throws(BusError) {
        switch nextType {
        case UInt8(ascii: "y"): _ = try readByte()
        case UInt8(ascii: "n"), UInt8(ascii: "q"):
            typePosition += 1
            _ = try load(UInt16.self)
        case UInt8(ascii: "b"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "h"):
            typePosition += 1
            _ = try load(UInt32.self)
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"):
            typePosition += 1
            _ = try load(UInt64.self)
        case UInt8(ascii: "s"), UInt8(ascii: "o"):
            typePosition += 1
            _ = try span()
        case UInt8(ascii: "g"):
            typePosition += 1
            _ = try signatureSpan()
        case UInt8(ascii: "a"): _ = try takeArray()
        case UInt8(ascii: "v"): try readVariant { (inner) throws(BusError) in try inner.skip() }
        case UInt8(ascii: "("):
            try readStructure { (inner) throws(BusError) in
                while inner.nextType != UInt8(ascii: ")") { try inner.skip() }
            }
        case UInt8(ascii: "{"):
            try readEntry { (inner) throws(BusError) in
                try inner.skip()
                try inner.skip()
            }
        default: throw unexpected("a value")
        }
    }
}

// MARK: - Steps

extension MessageReader {
    @inline(__always)
    private mutating func readBetween(
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
    private mutating func expect(_ type: Unicode.Scalar) throws(BusError) {
        guard nextType == UInt8(ascii: type) else { throw unexpected("'\(type)'") }
        typePosition += 1
    }

    @inline(__always)
    private mutating func align(to alignment: Int) throws(BusError) {
        position = (position + alignment - 1) & -alignment
        guard position <= bytes.count else { throw Self.truncated }
    }

    @inline(__always)
    private mutating func load<Number: FixedWidthInteger & BitwiseCopyable>(
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
    private mutating func take(_ count: Int) throws(BusError) -> UnsafeRawBufferPointer {
        guard count <= bytes.count - position else { throw Self.truncated }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    /// A string or path: length, bytes, zero.
    @inline(__always)
    private mutating func span() throws(BusError) -> UnsafeBufferPointer<UInt8> {
        try text(Int(try load(UInt32.self)))
    }

    @inline(__always)
    private mutating func signatureSpan() throws(BusError) -> UnsafeBufferPointer<UInt8> {
        try text(Int(try load(UInt8.self)))
    }

    @inline(__always)
    private mutating func text(_ count: Int) throws(BusError) -> UnsafeBufferPointer<UInt8> {
        let text = try take(count).assumingMemoryBound(to: UInt8.self)
        _ = try take(1)
        return text
    }

    /// The one type that begins at a position of the signature.
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

    private static var truncated: BusError {
        BusError(.unexpectedBody, "a message ends in the midst of a value")
    }

    @inline(never)
    func unexpected(_ wanted: String) -> BusError {
        let found = nextType == 0 ? "the end" : "'\(Unicode.Scalar(nextType))'"
        return BusError(
            .unexpectedBody,
            "\(wanted) was expected in a message, and \(found) is there"
        )
    }
}
