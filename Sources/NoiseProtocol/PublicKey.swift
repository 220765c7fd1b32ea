internal import Crypto

/// The public half of an ``IdentityKey``: who somebody is.
///
/// ```swift
/// if let key = handshake.remoteStaticKey { print(key.fingerprint) }
/// ```
package struct PublicKey: Hashable, Sendable {
    /// How many bytes a key has.
    package static let byteCount = 32

    /// The key as X25519 has it.
    ///
    /// Source: RFC 7748, 5.
    package let bytes: [UInt8]

    /// Creates a key.
    ///
    /// - Parameter bytes: ``byteCount``; else the result is `nil`.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// `nil` never: any 32 bytes are a key to X25519.
    var key: Curve25519.KeyAgreement.PublicKey? {
        try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)
    }

    init(_ key: Curve25519.KeyAgreement.PublicKey) {
        bytes = Array(key.rawRepresentation)
    }

    /// The SHA-256 of the key in 64 hexadecimal digits, to be compared whole by a program.
    ///
    /// People compare ``VerificationWords``.
    package var fingerprint: String {
        SHA256.hash(data: bytes)
            .flatMap { [$0 >> 4, $0 & 15] }
            .map { String($0, radix: 16) }
            .joined()
    }
}

extension PublicKey: CustomStringConvertible {
    /// The fingerprint.
    package var description: String { fingerprint }
}
