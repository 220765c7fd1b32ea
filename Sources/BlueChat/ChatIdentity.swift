internal import NoiseProtocol

/// Who somebody is to others of this library: a secret that is made once, and stored.
///
/// ```swift
/// let identity = ChatIdentity()
/// try store(identity.bytes)
/// let messenger = Messenger(radio: adapter, name: name, identity: identity)
/// ```
///
/// Source: X25519, RFC 7748.
public struct ChatIdentity: Sendable {
    /// How many bytes it has.
    public static let byteCount = IdentityKey.byteCount

    let privateKey: IdentityKey

    /// Creates a new one.
    public init() {
        privateKey = IdentityKey()
    }

    /// Creates one that was stored.
    ///
    /// - Parameter bytes: ``byteCount`` of them, as ``bytes`` gave them; else the result is `nil`.
    public init?(_ bytes: [UInt8]) {
        guard let key = IdentityKey(bytes) else { return nil }
        privateKey = key
    }

    /// The secret, to be stored where nobody else reads it.
    public var bytes: [UInt8] { privateKey.bytes }

    /// What others know this end by.
    public var key: ChatKey { ChatKey(privateKey.publicKey) }
}

extension ChatIdentity: CustomStringConvertible, CustomReflectable {
    /// The key, without the secret.
    public var description: String { "\(key)" }

    /// Nothing, so that `dump` does not show the secret either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What others know somebody by; a name or an address may be anybody's.
public struct ChatKey: Hashable, Sendable {
    /// How many bytes it has.
    public static let byteCount = PublicKey.byteCount

    /// The bytes.
    public let bytes: [UInt8]

    /// Creates a key that was stored, or read from a code.
    ///
    /// - Parameter bytes: ``byteCount`` of them; else the result is `nil`.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    init(_ key: PublicKey) {
        bytes = key.bytes
    }

    /// What two people compare, to see that nobody is between them: twelve groups of five digits, the same for both.
    ///
    /// It takes some milliseconds.
    ///
    /// - Parameter other: the other one's key.
    /// - Returns: the groups.
    public func verificationWords(with other: ChatKey) -> [String] {
        guard let one = PublicKey(bytes), let other = PublicKey(other.bytes) else { return [] }
        return VerificationWords(one, other).words
    }
}

extension ChatKey: CustomStringConvertible {
    /// The SHA-256 of the key, in 64 hexadecimal digits.
    public var description: String { PublicKey(bytes)?.fingerprint ?? "" }
}
