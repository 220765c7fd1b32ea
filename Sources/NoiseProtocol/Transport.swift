/// What two ends send each other after a handshake, over a bearer that keeps the order and loses nothing.
///
/// Each direction has its key and counts its messages; the counters aren't sent. A message that is missing, changed,
/// repeated or out of order is refused, and so is every later one then: end the session.
///
/// ```swift
/// var transport = try handshake.split()
/// send(try transport.seal(bytes))
/// let reply = try transport.open(receive())
/// ```
///
/// Go on with one copy of this value alone; with two, different messages would have the same key and nonce.
///
/// Source: The Noise Protocol Framework, revision 34, 5.1 and 11.3.
package struct Transport: Sendable {
    /// How many bytes of plaintext a message has at most.
    package static let maximumPlaintextByteCount =
        CipherState.maximumMessageByteCount - CipherState.tagByteCount
    /// How many bytes a message has beside the plaintext.
    package static let overheadByteCount = CipherState.tagByteCount

    /// `nil` where messages go one way alone, the other way.
    private var sending: CipherState?
    private var receiving: CipherState?

    init(sending: CipherState?, receiving: CipherState?) {
        self.sending = sending
        self.receiving = receiving
    }

    /// Encrypts the next message.
    ///
    /// - Parameters:
    ///   - plaintext: at most ``maximumPlaintextByteCount``.
    ///   - data: what isn't in the message, and what the other end has to have the same of.
    /// - Returns: ciphertext and tag.
    /// - Throws: ``NoiseError`` with ``NoiseError/Code/tooLong``, ``NoiseError/Code/lastCounter`` or ``NoiseError/Code/oneWay``.
    package mutating func seal(
        _ plaintext: [UInt8],
        authenticating data: [UInt8] = []
    ) throws(NoiseError) -> [UInt8] {
        guard let message = try sending?.seal(plaintext, authenticating: data) else {
            throw NoiseError.oneWay
        }
        return message
    }

    /// Decrypts the next message.
    ///
    /// A refused one is not counted.
    ///
    /// - Parameters:
    ///   - message: ciphertext and tag.
    ///   - data: as it was sealed with.
    /// - Returns: the plaintext.
    /// - Throws: ``NoiseError`` with ``NoiseError/Code/authenticationFailed``, ``NoiseError/Code/tooLong``,
    ///   ``NoiseError/Code/malformedData``, ``NoiseError/Code/lastCounter`` or ``NoiseError/Code/oneWay``.
    package mutating func open(
        _ message: [UInt8],
        authenticating data: [UInt8] = []
    ) throws(NoiseError) -> [UInt8] {
        guard let plaintext = try receiving?.open(message, authenticating: data) else {
            throw NoiseError.oneWay
        }
        return plaintext
    }

    /// Replaces the key of what this end sends; the other end calls ``rekeyReceiving()`` between the same two messages.
    ///
    /// - Throws: ``NoiseError`` with ``NoiseError/Code/oneWay``.
    package mutating func rekeySending() throws(NoiseError) {
        guard try sending?.rekey() != nil else { throw NoiseError.oneWay }
    }

    /// Replaces the key of what the other end sends.
    ///
    /// The counter goes on.
    ///
    /// - Throws: ``NoiseError`` with ``NoiseError/Code/oneWay``.
    package mutating func rekeyReceiving() throws(NoiseError) {
        guard try receiving?.rekey() != nil else { throw NoiseError.oneWay }
    }
}
