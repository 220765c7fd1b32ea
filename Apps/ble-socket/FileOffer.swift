/// What the sender of a file says first over a stream: which file it is.
///
/// | bytes | |
/// |---|---|
/// | 42 53 46 01 | "BSF", version 1 |
/// | 8 | how many bytes the file has, little-endian |
/// | 32 | their SHA-256 |
///
/// The receiver replies with the offset (8 bytes, little-endian) from which on it needs them, and gets those. Then it says
/// with one byte whether all is as it should be: 0; or 1, when the hash differs.
///
/// Source: Docs/Wire.md.
struct FileOffer: Hashable, Sendable {
    static let byteCount = 44
    private static let start: [UInt8] = [0x42, 0x53, 0x46, 0x01]
    /// How many bytes a file can have.
    static let maximumFileByteCount = UInt64(Int64.max)

    /// What a sender says; no file has more than ``maximumFileByteCount``.
    let byteCount: UInt64
    /// 32 bytes.
    let hash: [UInt8]

    init(byteCount: UInt64, hash: [UInt8]) {
        self.byteCount = byteCount
        self.hash = hash
    }

    /// Reads an offer.
    ///
    /// - Returns: `nil` for what is none.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, bytes.starts(with: Self.start) else { return nil }
        byteCount = UInt64(littleEndian: bytes[4..<12])
        hash = Array(bytes[12...])
    }

    var bytes: [UInt8] { Self.start + byteCount.littleEndianBytes + hash }

    /// The name of the file that is kept until all has come.
    func partialName(of path: String) -> String {
        let digits = hash.prefix(4).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        return "\(path).\(digits.joined()).part"
    }
}

extension UInt64 {
    /// A number of eight bytes.
    init(littleEndian bytes: some Sequence<UInt8>) {
        self = 0
        for (index, byte) in bytes.enumerated() { self |= UInt64(byte) << (8 * UInt64(index)) }
    }

    var littleEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}
