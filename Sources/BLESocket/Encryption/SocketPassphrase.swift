internal import Crypto
internal import CryptoExtras
internal import NoiseProtocol

/// What both ends of a stream know, and nobody else: words that people can say, or random bytes.
///
/// Who connects once, or is connected to, can try words afterwards. Each takes as long as it takes to create this value,
/// so that five words by chance are enough, and a word of a dictionary is not.
///
/// Source: RFC 7914.
public struct SocketPassphrase: Hashable, Sendable {
    /// The fewest bytes that it may have.
    public static let minimumByteCount = 8
    /// The most bytes that it may have.
    public static let maximumByteCount = 1_024

    private static let salt = Array("BLESocket passphrase 1".utf8)

    /// What is made of it.
    let bytes: [UInt8]

    /// Creates what both ends have to know, in about a tenth of a second, and with 32 MiB of memory for that time.
    ///
    /// - Parameter passphrase: ``minimumByteCount`` to ``maximumByteCount`` bytes; else the result is `nil`.
    public init?(_ passphrase: [UInt8]) {
        guard (Self.minimumByteCount...Self.maximumByteCount).contains(passphrase.count),
            let key = try? KDF.Scrypt.deriveKey(
                from: passphrase,
                salt: Self.salt,
                outputByteCount: PresharedKey.byteCount,
                rounds: 32_768,
                blockSize: 8,
                parallelism: 1
            )
        else { return nil }
        bytes = key.withUnsafeBytes { Array($0) }
    }

    /// `nil` never: it is made of as many bytes as a key has.
    var key: PresharedKey? { PresharedKey(bytes) }
}

extension SocketPassphrase: CustomStringConvertible, CustomReflectable {
    /// Not the passphrase.
    public var description: String { "a passphrase" }

    /// Nothing, so that `dump` doesn't show what is made of it either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
