internal import Crypto

/// A key of ChaCha20-Poly1305, and the counter that its next nonce is made of.
///
/// A message is ciphertext and tag; its nonce is 4 zero bytes and the counter, the lowest byte first.
///
/// Source: The Noise Protocol Framework, revision 34, 5.1, 11.3 and 12.3.
struct CipherState: Sendable {
    static let maximumMessageByteCount = 65_535
    static let tagByteCount = 16

    private var key: SymmetricKey
    /// The counter of the next message in order.
    private(set) var counter: UInt64

    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - counter: other than 0 in tests alone.
    init(key: SymmetricKey, counter: UInt64 = 0) {
        self.key = key
        self.counter = counter
    }

    /// Encrypts the next message.
    mutating func seal(
        _ plaintext: [UInt8],
        authenticating data: [UInt8]
    ) throws(NoiseError) -> [UInt8] {
        let message = try seal(plaintext, counter: counter, authenticating: data)
        counter += 1
        return message
    }

    /// Decrypts the next message; the counter stays when it is refused.
    mutating func open(
        _ message: [UInt8],
        authenticating data: [UInt8]
    ) throws(NoiseError) -> [UInt8] {
        let plaintext = try open(message, counter: counter, authenticating: data)
        counter += 1
        return plaintext
    }

    /// Encrypts a message out of order.
    ///
    /// The caller sees to it that no counter is used twice.
    func seal(
        _ plaintext: [UInt8],
        counter: UInt64,
        authenticating data: [UInt8]
    ) throws(NoiseError) -> [UInt8] {
        guard plaintext.count <= Self.maximumMessageByteCount - Self.tagByteCount else {
            throw NoiseError(.tooLong, "sealing \(plaintext.count) bytes: too many for a message")
        }
        try Self.check(counter)
        return try encrypt(plaintext, counter: counter, authenticating: data)
    }

    /// Decrypts a message out of order.
    func open(
        _ message: [UInt8],
        counter: UInt64,
        authenticating data: [UInt8]
    ) throws(NoiseError) -> [UInt8] {
        guard message.count <= Self.maximumMessageByteCount else {
            throw NoiseError(.tooLong, "opening a message of \(message.count) bytes: too many")
        }
        guard message.count >= Self.tagByteCount else {
            throw NoiseError(.malformedData, "opening \(message.count) bytes: shorter than a tag")
        }
        try Self.check(counter)
        do {
            let box = try ChaChaPoly.SealedBox(
                nonce: Self.nonce(counter),
                ciphertext: message.dropLast(Self.tagByteCount),
                tag: message.suffix(Self.tagByteCount)
            )
            return Array(try ChaChaPoly.open(box, using: key, authenticating: data))
        } catch {
            throw NoiseError(
                .authenticationFailed,
                "opening message \(counter) of \(message.count) bytes failed",
                underlying: error
            )
        }
    }

    /// Replaces the key by one that is made of it, which it can't be found from; the counter stays.
    mutating func rekey() throws(NoiseError) {
        let zeros = [UInt8](repeating: 0, count: 32)
        let bytes = try encrypt(zeros, counter: .max, authenticating: [])
        key = SymmetricKey(data: bytes.prefix(32))
    }

    private func encrypt(
        _ plaintext: [UInt8],
        counter: UInt64,
        authenticating data: [UInt8]
    ) throws(NoiseError) -> [UInt8] {
        do {
            let box = try ChaChaPoly.seal(
                plaintext,
                using: key,
                nonce: Self.nonce(counter),
                authenticating: data
            )
            return Array(box.ciphertext + box.tag)
        } catch {
            throw NoiseError(
                .authenticationFailed,
                "sealing message \(counter) of \(plaintext.count) bytes failed",
                underlying: error
            )
        }
    }

    /// The last one is kept for ``rekey()``.
    private static func check(_ counter: UInt64) throws(NoiseError) {
        guard counter < .max else {
            throw NoiseError(.lastCounter, "all counters of a key are used up")
        }
    }

    private static func nonce(_ counter: UInt64) throws -> ChaChaPoly.Nonce {
        let bytes = withUnsafeBytes(of: counter.littleEndian) { Array($0) }
        return try ChaChaPoly.Nonce(data: [0, 0, 0, 0] + bytes)
    }
}
