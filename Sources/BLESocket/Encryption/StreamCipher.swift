internal import Crypto

/// What an encrypted stream carries in place of bytes: a public key of each end, and then records.
///
/// | bytes | |
/// |---|---|
/// | 32 | an X25519 public key, made for this stream |
/// | length (2, little-endian), ciphertext and tag of ChaCha20-Poly1305 | a record; the length is authenticated with it |
///
/// The first record of a direction has no bytes: it shows that its sender has the key. A later one without bytes is the
/// direction's end. The key of a direction comes from HKDF-SHA-256 of the shared secret, with the key of both ends as salt, and both
/// public keys in the context; the nonce counts the records of the direction.
///
/// The stream below keeps the order and loses nothing, so that whatever does not fit was made by a stranger.
///
/// Source: Docs/Wire.md.
struct StreamCipher: Sendable {
    private enum State {
        case waitingForKey
        case waitingForProof
        case open
        case ended
    }

    private static let context = Array("BLESocket stream 1".utf8)
    static let recordOverhead = 2 + 16
    static let maximumRecordByteCount = 16_384

    private let key: SocketKey
    private let isCentral: Bool
    private let privateKey: Curve25519.KeyAgreement.PrivateKey
    private var state = State.waitingForKey
    private var sending: SymmetricKey?
    private var receiving: SymmetricKey?
    private var sentCount: UInt64 = 0
    private var receivedCount: UInt64 = 0
    private var incoming: [UInt8] = []

    /// - Parameters:
    ///   - key: what both ends know.
    ///   - isCentral: which end this is.
    ///   - privateKey: made for this stream; given by tests alone.
    init(
        key: SocketKey,
        isCentral: Bool,
        privateKey: Curve25519.KeyAgreement.PrivateKey = .init()
    ) {
        self.key = key
        self.isCentral = isCentral
        self.privateKey = privateKey
    }

    /// What this end sends first.
    var greeting: [UInt8] { Array(privateKey.publicKey.rawRepresentation) }

    /// Whether the other end has shown that it has the key.
    var isOpen: Bool {
        switch state {
        case .waitingForKey, .waitingForProof: false
        case .open, .ended: true
        }
    }

    /// Whether the other end has said that it sends no more.
    var hasEnded: Bool {
        if case .ended = state { true } else { false }
    }

    /// Encrypts bytes.
    ///
    /// - Parameter bytes: at most ``maximumRecordByteCount``; none for the end.
    /// - Returns: a record; `nil` before the other end's key has come.
    mutating func seal(_ bytes: [UInt8]) -> [UInt8]? {
        guard let sending else { return nil }
        let length = UInt16(bytes.count + 16).littleEndianBytes
        guard
            let box = try? ChaChaPoly.seal(
                bytes,
                using: sending,
                nonce: Self.nonce(sentCount),
                authenticating: length
            )
        else { return nil }
        sentCount += 1
        return length + box.ciphertext + box.tag
    }

    /// Takes what has come.
    ///
    /// - Returns: the bytes in it, and what this end has to send now.
    /// - Throws: ``SocketError`` with ``SocketError/Code/invalidHandshake`` or ``SocketError/Code/malformedData``.
    mutating func receive(
        _ bytes: [UInt8]
    ) throws(SocketError) -> (bytes: [UInt8], reply: [UInt8]) {
        incoming += bytes
        var result: (bytes: [UInt8], reply: [UInt8]) = ([], [])
        if case .waitingForKey = state {
            guard incoming.count >= 32 else { return result }
            try agree(on: Array(incoming.prefix(32)))
            incoming.removeFirst(32)
            state = .waitingForProof
            result.reply = seal([]) ?? []
        }
        while let record = takeRecord() {
            let plain = try open(record)
            switch state {
            case .waitingForKey, .waitingForProof:
                guard plain.isEmpty else { throw Self.wrongKey }
                state = .open
            case .open:
                if plain.isEmpty { state = .ended } else { result.bytes += plain }
            case .ended:
                throw SocketError(.malformedData, "the other end went on after its end")
            }
        }
        return result
    }

    private mutating func takeRecord() -> [UInt8]? {
        guard incoming.count >= 2 else { return nil }
        let count = 2 + Int(incoming[0]) + Int(incoming[1]) << 8
        guard incoming.count >= count else { return nil }
        defer { incoming.removeFirst(count) }
        return Array(incoming.prefix(count))
    }

    private mutating func agree(on publicKey: [UInt8]) throws(SocketError) {
        let (own, other) = (greeting, publicKey)
        guard own != other,
            let otherKey = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: other),
            let secret = try? privateKey.sharedSecretFromKeyAgreement(with: otherKey),
            // With some public keys any private one gives this: RFC 7748, 6.1.
            secret.withUnsafeBytes({ $0.contains { $0 != 0 } })
        else { throw Self.wrongKey }
        let keys = secret.hkdfDerivedSymmetricKey(
            using: SHA256.self,
            salt: key.bytes,
            sharedInfo: Self.context + (isCentral ? own + other : other + own),
            outputByteCount: 64
        )
        let bytes = keys.withUnsafeBytes { Array($0) }
        let (ofCentral, ofPeripheral) = (
            SymmetricKey(data: bytes[..<32]), SymmetricKey(data: bytes[32...])
        )
        sending = isCentral ? ofCentral : ofPeripheral
        receiving = isCentral ? ofPeripheral : ofCentral
    }

    private mutating func open(_ record: [UInt8]) throws(SocketError) -> [UInt8] {
        guard let receiving, record.count >= Self.recordOverhead,
            let box = try? ChaChaPoly.SealedBox(
                nonce: Self.nonce(receivedCount),
                ciphertext: record[2..<(record.count - 16)],
                tag: record.suffix(16)
            ),
            let plain = try? ChaChaPoly.open(
                box,
                using: receiving,
                authenticating: record.prefix(2)
            )
        else {
            throw isOpen
                ? SocketError(.malformedData, "what came was changed on its way") : Self.wrongKey
        }
        receivedCount += 1
        return Array(plain)
    }

    private static var wrongKey: SocketError {
        SocketError(.invalidHandshake, "the other end does not have this end's key")
    }

    private static func nonce(_ count: UInt64) -> ChaChaPoly.Nonce {
        let bytes: [UInt8] = [0, 0, 0, 0] + count.littleEndianBytes
        guard let nonce = try? ChaChaPoly.Nonce(data: bytes) else {
            preconditionFailure("a nonce has 12 bytes")
        }
        return nonce
    }
}
