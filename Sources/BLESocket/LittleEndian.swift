extension FixedWidthInteger {
    /// The bytes, the lowest first.
    var littleEndianBytes: [UInt8] {
        withUnsafeBytes(of: littleEndian) { Array($0) }
    }
}

/// Reads numbers whose lowest byte comes first.
struct NumberReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// - Returns: `nil` when there are too few bytes; then none is taken.
    mutating func next<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
        let byteCount = Number.bitWidth / 8
        guard rest.count >= byteCount else { return nil }
        defer { rest = rest.dropFirst(byteCount) }
        return rest.prefix(byteCount).reversed().reduce(0) {
            $0 << 8 | Number(truncatingIfNeeded: $1)
        }
    }
}
