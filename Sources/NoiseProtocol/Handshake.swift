internal import Crypto

/// A handshake: what two ends send each other first, so that only they can read what follows.
///
/// | pattern | message | from | tokens | bytes beside the payload | its payload can be read by |
/// |---|---|---|---|---|---|
/// | XX | 1 | initiator | e | 32 | everybody |
/// | | 2 | responder | e, ee, s, es | 96 | whoever wrote message 1, whoever that is |
/// | | 3 | initiator | s, se | 64 | the responder |
/// | XXpsk3 | 1, 2, 3 | | as XX; message 3 ends with psk | 48, 96, 64 | as XX; message 3 by who has the key as well |
/// | IK | 1 | initiator | e, es, s, ss | 96 | the responder, also a copy that comes again |
/// | | 2 | responder | e, ee, se | 48 | the initiator |
/// | N | 1 | initiator | e, es | 48 | the responder, also a copy that comes again |
///
/// In XX both get to know each other's static key; in XXpsk3 they have a secret in common beside them. In IK the initiator
/// has the responder's key already, and in N stays unknown itself, and hears nothing back.
///
/// ```swift
/// var handshake = Handshake(as: .initiator, with: identityKey)
/// send(try handshake.write())
/// _ = try handshake.read(receive())
/// send(try handshake.write())
/// var transport = try handshake.split()
/// ```
///
/// A refused message ends the handshake for good: its keys are forgotten, and each call throws ``NoiseError`` with
/// ``NoiseError/Code/failed``. A call that comes at the wrong time changes nothing, nor does a payload that is too long to
/// write. The handshake shows that the other end has the static key, not whose it is: compare ``VerificationWords``.
///
/// Go on with one copy of this value alone; with two, different messages would have the same key and nonce.
///
/// Source: The Noise Protocol Framework, revision 34, 5.3, 7.4, 7.5 and 9: `25519_ChaChaPoly_SHA256`.
package struct Handshake: Sendable {
    /// Which end this is.
    package enum Role: Hashable, Sendable {
        /// Sends first.
        case initiator
        /// Answers.
        case responder
    }

    /// Which end this is.
    package let role: Role
    private let pattern: HandshakePattern
    private var state: HandshakeState
    private var progress: HandshakeProgress

    /// Creates a handshake in which both ends get to know each other: XX, or XXpsk3 with a key in common.
    ///
    /// - Parameters:
    ///   - role: which end this is.
    ///   - key: this end's static key.
    ///   - presharedKey: a secret of both ends; an end with another one, or with none, is refused with message 3 by the
    ///     responder, or with message 2 where only one of them has one.
    ///   - prologue: what both ends know and want to have the same of; with another one message 2 is refused.
    package init(
        as role: Role,
        with key: IdentityKey,
        presharedKey: PresharedKey? = nil,
        prologue: [UInt8] = []
    ) {
        self.init(
            presharedKey == nil ? .xx : .xxpsk3,
            as: role,
            with: key,
            presharedKey: presharedKey,
            prologue: prologue,
            ephemeral: .init()
        )
    }

    /// Creates the initiator's end of a handshake with somebody whose static key is known: IK.
    ///
    /// - Parameters:
    ///   - responder: the other end's static key; who does not have its private half can't answer.
    ///   - key: this end's static key, which only the responder learns.
    ///   - prologue: what both ends know and want to have the same of; with another one message 1 is refused.
    package init(calling responder: PublicKey, with key: IdentityKey, prologue: [UInt8] = []) {
        self.init(
            .ik,
            as: .initiator,
            with: key,
            responder: responder,
            prologue: prologue,
            ephemeral: .init()
        )
    }

    /// Creates the responder's end of a handshake with somebody who knows this end's static key: IK.
    ///
    /// - Parameters:
    ///   - key: this end's static key.
    ///   - prologue: what both ends know and want to have the same of.
    package init(calledAs key: IdentityKey, prologue: [UInt8] = []) {
        self.init(.ik, as: .responder, with: key, prologue: prologue, ephemeral: .init())
    }

    /// Creates the initiator's end of a handshake in which nobody learns who it is, and nothing is sent back: N.
    ///
    /// - Parameters:
    ///   - responder: the other end's static key: only who has its private half can read.
    ///   - prologue: what both ends know and want to have the same of; with another one message 1 is refused.
    package init(writingTo responder: PublicKey, prologue: [UInt8] = []) {
        self.init(
            .n,
            as: .initiator,
            with: nil,
            responder: responder,
            prologue: prologue,
            ephemeral: .init()
        )
    }

    /// Creates the responder's end of a handshake with somebody who stays unknown, and is not answered: N.
    ///
    /// - Parameters:
    ///   - key: this end's static key.
    ///   - prologue: what both ends know and want to have the same of.
    package init(writtenToAs key: IdentityKey, prologue: [UInt8] = []) {
        self.init(.n, as: .responder, with: key, prologue: prologue, ephemeral: .init())
    }

    /// With a given ephemeral key, for tests alone.
    init(
        _ pattern: HandshakePattern,
        as role: Role,
        with key: IdentityKey?,
        responder: PublicKey? = nil,
        presharedKey: PresharedKey? = nil,
        prologue: [UInt8],
        ephemeral: Curve25519.KeyAgreement.PrivateKey
    ) {
        self.role = role
        self.pattern = pattern
        progress = HandshakeProgress(
            isInitiator: role == .initiator,
            messageCount: pattern.messages.count
        )
        state = HandshakeState(
            pattern,
            isInitiator: role == .initiator,
            staticKey: key?.privateKey,
            ephemeral: ephemeral,
            remoteStatic: responder,
            presharedKey: presharedKey,
            prologue: prologue
        )
    }

    /// Whether this end has to write the next message.
    package var isTurnToWrite: Bool { progress.isTurnToWrite }

    /// Whether all messages were written and read.
    package var isFinished: Bool { progress.isFinished }

    /// The other end's static key, once it has shown that it has the private half: after message 2 or 3 of XX, after both of
    /// IK.
    ///
    /// A responder has it after message 1 of IK, which may be a copy: whoever goes on after message 2 has the key. Of N it
    /// is the one that this end writes to, as nobody answers; a responder never has one there.
    package var remoteStaticKey: PublicKey? {
        guard !pattern.knowsResponder || role == .responder || isFinished else { return nil }
        return state.remoteStatic.map { PublicKey($0) }
    }

    /// 32 bytes that are the same at both ends, and those of no other handshake; `nil` until it is finished.
    ///
    /// Source: The Noise Protocol Framework, revision 34, 11.2.
    package var handshakeHash: [UInt8]? { isFinished ? state.symmetric.hash : nil }

    /// Writes the next message.
    ///
    /// - Parameter payload: so long that the message has at most 65,535 bytes.
    /// - Returns: the message to send.
    /// - Throws: ``NoiseError`` with ``NoiseError/Code/wrongTurn``, ``NoiseError/Code/finished``, ``NoiseError/Code/failed``,
    ///   ``NoiseError/Code/tooLong``, or ``NoiseError/Code/invalidKey``, of which the last one ends the handshake.
    package mutating func write(_ payload: [UInt8] = []) throws(NoiseError) -> [UInt8] {
        let index = try progress.nextMessage(toWrite: true)
        guard payload.count <= state.maximumPayloadByteCount(index) else {
            throw NoiseError(.tooLong, "\(payload.count) bytes as payload of message \(index + 1)")
        }
        do throws(NoiseError) {
            let message = try state.write(index, payload)
            progress.advance()
            return message
        } catch {
            fail()
            throw error
        }
    }

    /// Reads the next message.
    ///
    /// - Parameter message: as it was received.
    /// - Returns: the payload.
    /// - Throws: ``NoiseError`` with ``NoiseError/Code/wrongTurn``, ``NoiseError/Code/finished``, ``NoiseError/Code/failed``; or
    ///   with ``NoiseError/Code/tooLong``, ``NoiseError/Code/malformedData``, ``NoiseError/Code/authenticationFailed``,
    ///   ``NoiseError/Code/invalidKey``, which end the handshake.
    package mutating func read(_ message: [UInt8]) throws(NoiseError) -> [UInt8] {
        let index = try progress.nextMessage(toWrite: false)
        do throws(NoiseError) {
            let payload = try state.read(index, message)
            progress.advance()
            return payload
        } catch {
            fail()
            throw error
        }
    }

    /// Makes the ciphers of a transport whose messages come in order, once.
    ///
    /// - Throws: ``NoiseError`` with ``NoiseError/Code/notFinished``, ``NoiseError/Code/finished`` or ``NoiseError/Code/failed``.
    package mutating func split() throws(NoiseError) -> Transport {
        let (sending, receiving) = try splitCiphers()
        return Transport(sending: sending, receiving: receiving)
    }

    /// Makes the ciphers of a transport whose messages may come out of order, once, and in place of ``split()``.
    ///
    /// - Throws: as ``split()`` does.
    package mutating func splitUnordered() throws(NoiseError) -> UnorderedTransport {
        let (sending, receiving) = try splitCiphers()
        return UnorderedTransport(sending: sending, receiving: receiving)
    }

    private mutating func splitCiphers() throws(NoiseError) -> (CipherState?, CipherState?) {
        try progress.split()
        let ciphers = state.symmetric.split()
        state.forgetSecrets()
        let ofInitiator = ciphers.ofInitiator
        let ofResponder = pattern.isOneWay ? nil : ciphers.ofResponder
        return role == .initiator ? (ofInitiator, ofResponder) : (ofResponder, ofInitiator)
    }

    private mutating func fail() {
        progress.fail()
        state.forgetSecrets()
        state.remoteStatic = nil
    }
}
