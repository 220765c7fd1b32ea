internal import Crypto
internal import FoundationEssentials

/// What two users encrypt texts with, in both directions: the same as long as both have their keys.
///
/// It protects what a text says and nothing else: not who writes to whom, nor that an old one comes again. A nonce tells whether
/// this end has made a text, so that its own are known when they come back: of its 12 bytes 9 are by chance, and the others are
/// made of those with a key that no one else has, for whom they are as good as chance.
///
/// Source: Docs/Wire.md, dIM. ECDH on P-256 (SP 800-56A), HKDF-SHA256 (RFC 5869), AES-256-GCM (SP 800-38D).
struct PairKey: Sendable {
    /// How many bytes an encrypted text has beside the text: the nonce and the tag.
    static let overheadByteCount = 28
    private static let salt = Array("My Key Agreement Salt".utf8)
    private static let nonceByteCount = 12
    private static let chanceByteCount = 9

    private let key: SymmetricKey
    /// Marks this end's nonces.
    private let markKey: SymmetricKey

    /// - Throws: ``RelayError`` with ``RelayError/Code/invalidKey``.
    init(_ identity: RelayIdentity, _ other: RelayKey) throws(RelayError) {
        markKey = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: identity.bytes),
            info: Array("nonces to ".utf8) + other.bytes,
            outputByteCount: 32
        )
        do {
            let other = try P256.KeyAgreement.PublicKey(rawRepresentation: other.bytes)
            key = try identity.privateKey.sharedSecretFromKeyAgreement(with: other)
                .hkdfDerivedSymmetricKey(
                    using: SHA256.self,
                    salt: Self.salt,
                    sharedInfo: [UInt8](),
                    outputByteCount: 32
                )
        } catch {
            throw RelayError(
                .invalidKey,
                "nothing can be agreed on with the key",
                underlying: error
            )
        }
    }

    /// Encrypts a text, so that no app takes it for a receipt: those look at how it begins, whatever its kind.
    ///
    /// - Parameter text: the text.
    /// - Returns: nonce, text and tag in base64.
    func seal(_ text: String) -> String { seal(text, choosing: markedNonce) }

    /// As ``seal(_:)``, with nonces of somebody's choice.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - nonce: makes another one at each call.
    /// - Returns: nonce, text and tag in base64.
    func seal(_ text: String, choosing nonce: () -> AES.GCM.Nonce) -> String {
        while true {
            let sealed = seal(text, nonce())
            if !sealed.hasPrefix("ACK/") && !sealed.hasPrefix("READ/") { return sealed }
        }
    }

    /// Encrypts a text with a nonce that is used for nothing else.
    func seal(_ text: String, _ nonce: AES.GCM.Nonce) -> String {
        guard let box = try? AES.GCM.seal(Data(text.utf8), using: key, nonce: nonce),
            let combined = box.combined
        else { preconditionFailure("AES-GCM takes as much as a string can have") }
        return combined.base64EncodedString()
    }

    private func markedNonce() -> AES.GCM.Nonce {
        let chance = Array(AES.GCM.Nonce().prefix(Self.chanceByteCount))
        guard let nonce = try? AES.GCM.Nonce(data: chance + mark(of: chance)) else {
            preconditionFailure("a nonce has \(Self.nonceByteCount) bytes")
        }
        return nonce
    }

    private func mark(of chance: [UInt8]) -> [UInt8] {
        let code = HMAC<SHA256>.authenticationCode(for: chance, using: markKey)
        return Array(code.prefix(Self.nonceByteCount - Self.chanceByteCount))
    }

    /// Whether this end has encrypted a text, as far as its nonce says; one of 16 million of others seems so, too.
    func isOwn(_ nonce: [UInt8]) -> Bool {
        Array(nonce.dropFirst(Self.chanceByteCount))
            == mark(of: Array(nonce.prefix(Self.chanceByteCount)))
    }

    /// What an encrypted text begins with: no other text that can be decrypted has it.
    ///
    /// - Parameter sealed: what ``seal(_:)`` has made.
    /// - Returns: `nil` for what is no such text.
    static func nonce(of sealed: String) -> [UInt8]? {
        guard let bytes = bytes(of: sealed), bytes.count >= overheadByteCount else { return nil }
        return Array(bytes.prefix(nonceByteCount))
    }

    /// The bytes of base64 as ``seal(_:)`` and the apps write it: in any other way the same text would be another packet.
    private static func bytes(of sealed: String) -> Data? {
        guard let bytes = Data(base64Encoded: sealed),
            bytes.base64EncodedString().utf8.elementsEqual(sealed.utf8)
        else { return nil }
        return bytes
    }

    /// Decrypts a text.
    ///
    /// - Parameter sealed: what ``seal(_:)`` has made.
    /// - Returns: the text.
    /// - Throws: ``RelayError`` with ``RelayError/Code/notDecrypted``, the same whatever is wrong.
    func open(_ sealed: String) throws(RelayError) -> String {
        guard let combined = Self.bytes(of: sealed),
            let box = try? AES.GCM.SealedBox(combined: combined),
            let bytes = try? AES.GCM.open(box, using: key),
            let text = String(validating: bytes, as: UTF8.self)
        else {
            throw RelayError(
                .notDecrypted,
                "a message was not encrypted for this user by its sender"
            )
        }
        return text
    }
}
