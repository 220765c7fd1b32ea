internal import Crypto

/// A person's long-lived key: the static key of all their handshakes.
///
/// ```swift
/// let key = IdentityKey()
/// try store(key.bytes)
/// print(key.publicKey.fingerprint)
/// ```
package struct IdentityKey: Sendable {
    /// How many bytes a key has.
    package static let byteCount = 32

    let privateKey: Curve25519.KeyAgreement.PrivateKey

    /// Creates a random key.
    package init() {
        privateKey = Curve25519.KeyAgreement.PrivateKey()
    }

    /// Creates a key that was stored.
    ///
    /// - Parameter bytes: ``byteCount``, as ``bytes`` gave them; else the result is `nil`.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount,
            let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes)
        else { return nil }
        privateKey = key
    }

    /// The secret, to be stored where nobody else reads it.
    package var bytes: [UInt8] { Array(privateKey.rawRepresentation) }

    /// What others know this person by.
    package var publicKey: PublicKey { PublicKey(privateKey.publicKey) }
}

extension IdentityKey: Equatable {
    /// Compares the secrets, in a time that does not depend on them.
    package static func == (one: IdentityKey, other: IdentityKey) -> Bool {
        // Swift Crypto compares symmetric keys so.
        SymmetricKey(data: one.bytes) == SymmetricKey(data: other.bytes)
    }
}

extension IdentityKey: CustomStringConvertible, CustomReflectable {
    /// The public key's fingerprint, not the key.
    package var description: String { "the key with fingerprint \(publicKey)" }

    /// Nothing, so that `dump` doesn't show the key either.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
