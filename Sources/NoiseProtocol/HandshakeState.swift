internal import Crypto

/// The keys of a handshake, and what its tokens do with them.
///
/// Source: The Noise Protocol Framework, revision 34, 5.3.
struct HandshakeState: Sendable {
    /// A part of a message: a public key, or keys that a secret is agreed on with.
    enum Token {
        /// An ephemeral public key.
        case e
        /// A static public key, encrypted.
        case s
        /// X25519 with both ephemeral keys.
        case ee
        /// X25519 with the initiator's ephemeral key and the responder's static key.
        case es
        /// X25519 with the initiator's static key and the responder's ephemeral key.
        case se
    }

    /// The tokens of each message, and how many bytes it has beside the payload.
    private static let messages: [(tokens: [Token], overhead: Int)] = [
        ([.e], 32), ([.e, .ee, .s, .es], 96), ([.s, .se], 64),
    ]
    private static let encryptedKeyByteCount = PublicKey.byteCount + CipherState.tagByteCount

    private let isInitiator: Bool
    private let staticKey: Curve25519.KeyAgreement.PrivateKey
    private var ephemeral: Curve25519.KeyAgreement.PrivateKey
    private var remoteEphemeral: Curve25519.KeyAgreement.PublicKey?
    var remoteStatic: Curve25519.KeyAgreement.PublicKey?
    private(set) var symmetric = SymmetricState()

    init(
        isInitiator: Bool,
        staticKey: Curve25519.KeyAgreement.PrivateKey,
        ephemeral: Curve25519.KeyAgreement.PrivateKey,
        prologue: [UInt8]
    ) {
        self.isInitiator = isInitiator
        self.staticKey = staticKey
        self.ephemeral = ephemeral
        symmetric.mixHash(prologue)
    }

    static func maximumPayloadByteCount(_ index: Int) -> Int {
        CipherState.maximumMessageByteCount - messages[index].overhead
    }

    mutating func write(_ index: Int, _ payload: [UInt8]) throws(NoiseError) -> [UInt8] {
        var message: [UInt8] = []
        for token in Self.messages[index].tokens {
            switch token {
            case .e:
                let key = Array(ephemeral.publicKey.rawRepresentation)
                symmetric.mixHash(key)
                message += key
            case .s:
                let key = Array(staticKey.publicKey.rawRepresentation)
                message += try symmetric.encryptAndHash(key)
            case .ee, .es, .se: try agree(token)
            }
        }
        return message + (try symmetric.encryptAndHash(payload))
    }

    mutating func read(_ index: Int, _ message: [UInt8]) throws(NoiseError) -> [UInt8] {
        let (tokens, overhead) = Self.messages[index]
        let counts = overhead...CipherState.maximumMessageByteCount
        guard counts.contains(message.count) else {
            throw NoiseError(
                message.count < overhead ? .malformedData : .tooLong,
                "message \(index + 1) has \(message.count) bytes, not \(counts)"
            )
        }
        var rest = message[...]
        for token in tokens {
            switch token {
            case .e:
                let key = Array(rest.prefix(PublicKey.byteCount))
                rest = rest.dropFirst(PublicKey.byteCount)
                remoteEphemeral = try Self.key(key, otherThan: ephemeral)
                symmetric.mixHash(key)
            case .s:
                let sealed = Array(rest.prefix(Self.encryptedKeyByteCount))
                rest = rest.dropFirst(Self.encryptedKeyByteCount)
                let key = try symmetric.decryptAndHash(sealed)
                remoteStatic = try Self.key(key, otherThan: staticKey)
            case .ee, .es, .se: try agree(token)
            }
        }
        return try symmetric.decryptAndHash(Array(rest))
    }

    /// Forgets what later messages could be read with; the hash and the other end's key stay.
    mutating func forgetSecrets() {
        ephemeral = Curve25519.KeyAgreement.PrivateKey()
        symmetric.forgetSecrets()
    }

    /// Refuses a key that is this end's own, which somebody reflects.
    private static func key(
        _ bytes: [UInt8],
        otherThan own: Curve25519.KeyAgreement.PrivateKey
    ) throws(NoiseError) -> Curve25519.KeyAgreement.PublicKey {
        guard bytes != Array(own.publicKey.rawRepresentation) else {
            throw NoiseError(.invalidKey, "the other end sent this end's own public key")
        }
        do {
            return try Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)
        } catch {
            throw NoiseError(
                .invalidKey,
                "\(bytes.count) bytes for a public key",
                underlying: error
            )
        }
    }

    private mutating func agree(_ token: Token) throws(NoiseError) {
        let usesStatic = token == (isInitiator ? .se : .es)
        let usesRemoteStatic = token == (isInitiator ? .es : .se)
        guard let other = usesRemoteStatic ? remoteStatic : remoteEphemeral else {
            throw NoiseError(.invalidKey, "\(token) before the other end's key")
        }
        let own = usesStatic ? staticKey : ephemeral
        symmetric.mixKey(try Self.sharedSecret(own, other))
    }

    private static func sharedSecret(
        _ own: Curve25519.KeyAgreement.PrivateKey,
        _ other: Curve25519.KeyAgreement.PublicKey
    ) throws(NoiseError) -> SymmetricKey {
        let secret: SharedSecret
        do {
            secret = try own.sharedSecretFromKeyAgreement(with: other)
        } catch {
            throw NoiseError(.invalidKey, "X25519 failed", underlying: error)
        }
        // With some public keys any private one gives zeros (RFC 7748, 6.1), and BoringSSL's answer to that is
        // dropped on Linux. All bytes are looked at, so that the time doesn't depend on them.
        guard secret.withUnsafeBytes({ $0.reduce(0, |) }) != 0 else {
            throw NoiseError(.invalidKey, "the other end's public key gives a secret of zeros")
        }
        return secret.withUnsafeBytes { SymmetricKey(data: $0) }
    }
}
