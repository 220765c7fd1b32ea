/// Makes scalars of bytes, one byte at a time; what is no UTF-8 is dropped.
struct UTF8Decoder {
    private var bytes: [UInt8] = []

    /// How many bytes a sequence has that begins with this one; 0 when none does.
    static func length(of lead: UInt8) -> Int {
        switch lead {
        case 0..<0x80: 1
        case 0xC2..<0xE0: 2
        case 0xE0..<0xF0: 3
        case 0xF0..<0xF5: 4
        default: 0
        }
    }

    /// Takes a byte.
    ///
    /// - Returns: the scalar that it ends, if it ends one.
    mutating func receive(_ byte: UInt8) -> Unicode.Scalar? {
        if byte & 0xC0 == 0x80 {
            guard !bytes.isEmpty else { return nil }
        } else {
            bytes = []
        }
        bytes.append(byte)
        let length = Self.length(of: bytes[0])
        guard bytes.count >= length else { return nil }
        defer { bytes = [] }
        return String(validating: bytes, as: UTF8.self)?.unicodeScalars.first
    }

    /// Forgets what has begun.
    mutating func reset() { bytes = [] }
}
