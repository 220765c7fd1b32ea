internal import NoiseProtocol

/// What an end of a socket is known by: the public half of its ``SocketIdentity``.
public struct SocketPublicKey: Hashable, Sendable {
    /// How many bytes a key has.
    public static let byteCount = 32

    /// The key as X25519 has it.
    ///
    /// Source: RFC 7748, 5.
    public let bytes: [UInt8]

    /// Creates a key.
    ///
    /// - Parameter bytes: ``byteCount``; else the result is `nil`.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    init(_ key: PublicKey) {
        bytes = key.bytes
    }
}

extension SocketPublicKey: LosslessStringConvertible {
    /// Creates a key of what ``description`` gave.
    ///
    /// - Parameter description: 64 hexadecimal digits; else the result is `nil`.
    public init?(_ description: String) {
        let digits = description.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 2 * Self.byteCount, description.utf8.count == digits.count else {
            return nil
        }
        bytes = stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }

    /// 64 hexadecimal digits.
    public var description: String {
        bytes.flatMap { [$0 >> 4, $0 & 15] }.map { String($0, radix: 16) }.joined()
    }
}
