/// What two ends send each other after a handshake, where messages may be lost, repeated or out of order.
///
/// The caller sends each message's counter beside it, where everybody can read it. A counter is opened once. Those that are
/// ``windowCount`` or more below the highest that was opened are refused too; one whose message is refused counts for nothing.
///
/// ```swift
/// var transport = try handshake.splitUnordered()
/// let counter = transport.nextCounter
/// send(counter, try transport.seal(bytes, counter: counter))
/// let bytes = try transport.open(message, counter: itsCounter)
/// ```
///
/// Go on with one copy of this value alone; with two, different messages would have the same key and nonce.
///
/// Source: The Noise Protocol Framework, revision 34, 11.4; RFC 6479 for the window.
package struct UnorderedTransport: Sendable {
    /// How many counters may be opened at a time, the highest among them.
    package static let windowCount = ReplayWindow.bitCount

    /// `nil` where messages go one way alone, the other way.
    private var sending: CipherState?
    private var receiving: CipherState?
    private var window = ReplayWindow()
    /// The lowest counter that ``seal(_:counter:authenticating:)`` takes.
    package private(set) var nextCounter: UInt64 = 0

    init(sending: CipherState?, receiving: CipherState?) {
        self.sending = sending
        self.receiving = receiving
    }

    /// Encrypts a message.
    ///
    /// - Parameters:
    ///   - plaintext: at most ``Transport/maximumPlaintextByteCount``.
    ///   - counter: higher than that of each message sealed before, and less than 2⁶⁴ - 1.
    ///   - data: what isn't in the message, and what the other end has to have the same of.
    /// - Returns: ciphertext and tag, without the counter.
    /// - Throws: ``NoiseError`` with ``NoiseError/Code/usedCounter``, ``NoiseError/Code/lastCounter``,
    ///   ``NoiseError/Code/tooLong`` or ``NoiseError/Code/oneWay``; then the counter is still free.
    package mutating func seal(
        _ plaintext: [UInt8],
        counter: UInt64,
        authenticating data: [UInt8] = []
    ) throws(NoiseError) -> [UInt8] {
        guard counter >= nextCounter else {
            throw NoiseError(.usedCounter, "sealing message \(counter) after \(nextCounter - 1)")
        }
        guard
            let message = try sending?.seal(plaintext, counter: counter, authenticating: data)
        else { throw NoiseError.oneWay }
        nextCounter = counter + 1
        return message
    }

    /// Decrypts a message.
    ///
    /// - Parameters:
    ///   - message: ciphertext and tag.
    ///   - counter: as it came with the message; a changed one is refused.
    ///   - data: as it was sealed with.
    /// - Returns: the plaintext.
    /// - Throws: ``NoiseError`` with ``NoiseError/Code/replayed``, ``NoiseError/Code/tooOld``,
    ///   ``NoiseError/Code/authenticationFailed``, ``NoiseError/Code/lastCounter``, ``NoiseError/Code/tooLong``,
    ///   ``NoiseError/Code/malformedData`` or ``NoiseError/Code/oneWay``; then nothing has changed.
    package mutating func open(
        _ message: [UInt8],
        counter: UInt64,
        authenticating data: [UInt8] = []
    ) throws(NoiseError) -> [UInt8] {
        try window.check(counter)
        guard
            let plaintext = try receiving?.open(message, counter: counter, authenticating: data)
        else { throw NoiseError.oneWay }
        window.insert(counter)
        return plaintext
    }

    /// Replaces the key of what this end sends.
    ///
    /// The counters go on.
    ///
    /// - Throws: ``NoiseError`` with ``NoiseError/Code/oneWay``.
    package mutating func rekeySending() throws(NoiseError) {
        guard try sending?.rekey() != nil else { throw NoiseError.oneWay }
    }

    /// Replaces the key of what the other end sends; what it sent before and comes later is refused.
    ///
    /// - Throws: ``NoiseError`` with ``NoiseError/Code/oneWay``.
    package mutating func rekeyReceiving() throws(NoiseError) {
        guard try receiving?.rekey() != nil else { throw NoiseError.oneWay }
    }
}
