internal import NoiseProtocol

/// The key of an end of a socket, by which others know it.
///
/// Keep ``bytes`` where nobody else reads them, and give ``publicKey`` to those that connect, or are connected to:
/// ``SocketEncryption/peers``.
public struct SocketIdentity: Hashable, Sendable {
    /// How many bytes a key has.
    public static let byteCount = 32

    private let secret: [UInt8]
    /// What others know this end by.
    public let publicKey: SocketPublicKey

    /// Creates a random key.
    public init() {
        self.init(IdentityKey())
    }

    /// Creates a key that was kept.
    ///
    /// - Parameter bytes: ``byteCount``, as ``bytes`` gave them; else the result is `nil`.
    public init?(_ bytes: [UInt8]) {
        guard let key = IdentityKey(bytes) else { return nil }
        self.init(key)
    }

    private init(_ key: IdentityKey) {
        secret = key.bytes
        publicKey = SocketPublicKey(key.publicKey)
    }

    /// The secret.
    public var bytes: [UInt8] { secret }

    /// `nil` never: the bytes are those of a key.
    var key: IdentityKey? { IdentityKey(secret) }

    /// Whether both are the same key.
    public static func == (one: SocketIdentity, other: SocketIdentity) -> Bool {
        one.publicKey == other.publicKey
    }

    /// Hashes the public key.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(publicKey)
    }
}

extension SocketIdentity: CustomStringConvertible, CustomReflectable {
    /// The public key, not the secret.
    public var description: String { "the key of \(publicKey)" }

    /// Nothing, so that `dump` doesn't show the secret either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
