internal import Crypto

/// Who a user is: a secret that is made once, and stored.
///
/// Source: a private key of NIST P-256.
public struct RelayIdentity: Sendable {
    /// How many bytes it has.
    public static let byteCount = 32

    let privateKey: P256.KeyAgreement.PrivateKey

    /// Creates a new one.
    public init() {
        privateKey = P256.KeyAgreement.PrivateKey()
    }

    /// Creates one that was stored.
    ///
    /// - Parameter bytes: ``byteCount`` of them, as ``bytes`` gave them; else the result is `nil`.
    public init?(_ bytes: [UInt8]) {
        guard let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: bytes) else {
            return nil
        }
        privateKey = key
    }

    /// The secret, to be stored where nobody else reads it.
    public var bytes: [UInt8] { Array(privateKey.rawRepresentation) }

    /// What others know this user by.
    public var key: RelayKey { RelayKey(privateKey.publicKey) }
}

extension RelayIdentity: CustomStringConvertible, CustomReflectable {
    /// The fingerprint of the key, without the secret.
    public var description: String { key.fingerprint }

    /// Nothing, so that `dump` does not show the secret either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
