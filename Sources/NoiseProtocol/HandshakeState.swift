internal import Crypto

/// The keys of a handshake, and what its tokens do with them.
///
/// Source: The Noise Protocol Framework, revision 34, 5.3 and 9.
struct HandshakeState: Sendable {
    private let pattern: HandshakePattern
    private let isInitiator: Bool
    /// `nil` for an initiator who stays unknown.
    private let staticKey: Curve25519.KeyAgreement.PrivateKey?
    private var ephemeral: Curve25519.KeyAgreement.PrivateKey
    private var remoteEphemeral: Curve25519.KeyAgreement.PublicKey?
    var remoteStatic: Curve25519.KeyAgreement.PublicKey?
    private var presharedKey: PresharedKey?
    private(set) var symmetric: SymmetricState

    /// - Parameters:
    ///   - pattern: which messages there are.
    ///   - isInitiator: which end this is.
    ///   - staticKey: this end's, if it has one.
    ///   - ephemeral: this end's.
    ///   - remoteStatic: the other end's, for an initiator that has it.
    ///   - presharedKey: what both ends know, for a pattern that has it.
    ///   - prologue: what both ends have to have the same of.
    init(
        _ pattern: HandshakePattern,
        isInitiator: Bool,
        staticKey: Curve25519.KeyAgreement.PrivateKey?,
        ephemeral: Curve25519.KeyAgreement.PrivateKey,
        remoteStatic: PublicKey?,
        presharedKey: PresharedKey?,
        prologue: [UInt8]
    ) {
        self.pattern = pattern
        self.isInitiator = isInitiator
        self.staticKey = staticKey
        self.ephemeral = ephemeral
        self.presharedKey = presharedKey
        symmetric = SymmetricState(pattern.protocolName)
        symmetric.mixHash(prologue)
        guard pattern.knowsResponder else { return }
        self.remoteStatic = remoteStatic?.key
        let known =
            isInitiator
            ? remoteStatic?.bytes : staticKey.map { Array($0.publicKey.rawRepresentation) }
        symmetric.mixHash(known ?? [])
    }

    func maximumPayloadByteCount(_ index: Int) -> Int {
        CipherState.maximumMessageByteCount - pattern.overhead(of: index)
    }

    mutating func write(_ index: Int, _ payload: [UInt8]) throws(NoiseError) -> [UInt8] {
        var message: [UInt8] = []
        for token in pattern.messages[index] {
            switch token {
            case .e:
                let key = Array(ephemeral.publicKey.rawRepresentation)
                mixEphemeral(key)
                message += key
            case .s:
                let key = try requireStatic().publicKey.rawRepresentation
                message += try symmetric.encryptAndHash(Array(key))
            case .ee, .es, .se, .ss: try agree(token)
            case .psk: try mixPresharedKey()
            }
        }
        return message + (try symmetric.encryptAndHash(payload))
    }

    mutating func read(_ index: Int, _ message: [UInt8]) throws(NoiseError) -> [UInt8] {
        let overhead = pattern.overhead(of: index)
        let counts = overhead...CipherState.maximumMessageByteCount
        guard counts.contains(message.count) else {
            throw NoiseError(
                message.count < overhead ? .malformedData : .tooLong,
                "message \(index + 1) has \(message.count) bytes, not \(counts)"
            )
        }
        var rest = message[...]
        for token in pattern.messages[index] {
            switch token {
            case .e:
                let key = Array(rest.prefix(PublicKey.byteCount))
                rest = rest.dropFirst(PublicKey.byteCount)
                remoteEphemeral = try Self.key(key, otherThan: ephemeral)
                mixEphemeral(key)
            case .s:
                let sealed = Array(rest.prefix(HandshakePattern.encryptedKeyByteCount))
                rest = rest.dropFirst(HandshakePattern.encryptedKeyByteCount)
                let key = try symmetric.decryptAndHash(sealed)
                remoteStatic = try Self.key(key, otherThan: requireStatic())
            case .ee, .es, .se, .ss: try agree(token)
            case .psk: try mixPresharedKey()
            }
        }
        return try symmetric.decryptAndHash(Array(rest))
    }

    /// Forgets what later messages could be read with; the hash and the other end's key stay.
    mutating func forgetSecrets() {
        ephemeral = Curve25519.KeyAgreement.PrivateKey()
        presharedKey = nil
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

    private mutating func mixEphemeral(_ key: [UInt8]) {
        symmetric.mixHash(key)
        if pattern.hasPresharedKey { symmetric.mixKey(SymmetricKey(data: key)) }
    }

    private mutating func mixPresharedKey() throws(NoiseError) {
        guard let presharedKey else {
            throw NoiseError(.invalidKey, "a handshake with a key in common, without that key")
        }
        symmetric.mixKeyAndHash(presharedKey.key)
    }

    private func requireStatic() throws(NoiseError) -> Curve25519.KeyAgreement.PrivateKey {
        guard let staticKey else {
            throw NoiseError(.invalidKey, "this end has no static key for its handshake")
        }
        return staticKey
    }

    private mutating func agree(_ token: HandshakePattern.Token) throws(NoiseError) {
        let usesStatic = token == .ss || token == (isInitiator ? .se : .es)
        let usesRemoteStatic = token == .ss || token == (isInitiator ? .es : .se)
        guard let other = usesRemoteStatic ? remoteStatic : remoteEphemeral else {
            throw NoiseError(.invalidKey, "\(token) before the other end's key")
        }
        let own = usesStatic ? try requireStatic() : ephemeral
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
