internal import Crypto

/// What the messages of a handshake have led to so far: hash, chaining key, and a cipher once there is a secret.
///
/// Source: The Noise Protocol Framework, revision 34, 5.2 and 4.3.
struct SymmetricState: Sendable {
    /// Of all that was sent so far.
    private(set) var hash: [UInt8]
    private var chainingKey: SymmetricKey
    private var cipher: CipherState?

    init(_ protocolName: String) {
        let name = Array(protocolName.utf8)
        // A name of up to 32 bytes, as many as the hash has, is the first hash as it stands, and else hashed.
        hash =
            name.count <= SHA256.byteCount
            ? name + [UInt8](repeating: 0, count: SHA256.byteCount - name.count)
            : Array(SHA256.hash(data: name))
        chainingKey = SymmetricKey(data: hash)
    }

    /// The spec's `MixHash`.
    mutating func mixHash(_ bytes: [UInt8]) {
        hash = Array(SHA256.hash(data: hash + bytes))
    }

    /// The spec's `MixKey`; messages are encrypted from here on.
    mutating func mixKey(_ material: SymmetricKey) {
        let (next, key) = derivedKeys(material)
        chainingKey = next
        cipher = CipherState(key: key)
    }

    /// The spec's `MixKeyAndHash`.
    mutating func mixKeyAndHash(_ material: SymmetricKey) {
        let keys = keys(from: material, count: 3)
        chainingKey = keys[0]
        mixHash(keys[1].withUnsafeBytes { Array($0) })
        cipher = CipherState(key: keys[2])
    }

    /// The spec's `EncryptAndHash`: the bytes themselves as long as there is no key.
    mutating func encryptAndHash(_ plaintext: [UInt8]) throws(NoiseError) -> [UInt8] {
        let bytes = try cipher?.seal(plaintext, authenticating: hash) ?? plaintext
        mixHash(bytes)
        return bytes
    }

    /// The spec's `DecryptAndHash`: the bytes themselves as long as there is no key.
    mutating func decryptAndHash(_ bytes: [UInt8]) throws(NoiseError) -> [UInt8] {
        let plaintext = try cipher?.open(bytes, authenticating: hash) ?? bytes
        mixHash(bytes)
        return plaintext
    }

    /// The spec's `Split`: the cipher of what the initiator sends, and of what the responder does.
    func split() -> (ofInitiator: CipherState, ofResponder: CipherState) {
        let (first, second) = derivedKeys(SymmetricKey(data: [UInt8]()))
        return (CipherState(key: first), CipherState(key: second))
    }

    /// Forgets all but the hash.
    mutating func forgetSecrets() {
        chainingKey = SymmetricKey(data: hash)
        cipher = nil
    }

    private func derivedKeys(_ material: SymmetricKey) -> (SymmetricKey, SymmetricKey) {
        let keys = keys(from: material, count: 2)
        return (keys[0], keys[1])
    }

    /// The spec's `HKDF`: that of RFC 5869, with the chaining key as salt and no info.
    private func keys(from material: SymmetricKey, count: Int) -> [SymmetricKey] {
        let all = chainingKey.withUnsafeBytes { salt in
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: material,
                salt: salt,
                info: [UInt8](),
                outputByteCount: count * SHA256.byteCount
            )
        }
        return all.withUnsafeBytes { bytes in
            (0..<count).map { index in
                let range = (index * SHA256.byteCount)..<((index + 1) * SHA256.byteCount)
                return SymmetricKey(data: UnsafeRawBufferPointer(rebasing: bytes[range]))
            }
        }
    }
}
