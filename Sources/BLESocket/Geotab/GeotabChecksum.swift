/// Two sums over bytes, which tell most errors of transmission.
///
/// Source: Fletcher, "An Arithmetic Checksum for Serial Transmissions", IEEE Transactions on
/// Communications, 1982; the variant that counts modulo 256.
public struct GeotabChecksum: Hashable, Sendable {
    /// The sum of the bytes, modulo 256.
    public private(set) var first: UInt8 = 0
    /// The sum of the sums after each byte, modulo 256.
    public private(set) var second: UInt8 = 0

    /// A checksum that was received.
    init(first: UInt8, second: UInt8) {
        self.first = first
        self.second = second
    }

    /// Creates the checksum of some bytes.
    ///
    /// - Parameter bytes: the bytes.
    public init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            first &+= byte
            second &+= first
        }
    }
}
