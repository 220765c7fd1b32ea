import Testing

@testable import NoiseProtocol

@Suite("Beside noiseprotocol")
struct VectorTests {
    @Test(arguments: try Vector.all())
    func `the messages of a handshake are the same`(vector: Vector) throws {
        var initiator = try vector.handshake(as: .initiator)
        var responder = try vector.handshake(as: .responder)
        for (payload, message) in zip(vector.payloads, vector.messages) {
            if initiator.isTurnToWrite {
                #expect(try initiator.write(payload.bytes) == message.bytes)
                #expect(try responder.read(message.bytes) == payload.bytes)
            } else {
                #expect(try responder.write(payload.bytes) == message.bytes)
                #expect(try initiator.read(message.bytes) == payload.bytes)
            }
        }
        for end in [initiator, responder] {
            #expect(end.isFinished)
            #expect(end.handshakeHash == vector.handshakeHash.bytes)
        }
        #expect(initiator.remoteStaticKey?.bytes == vector.publicKeys[1].bytes)
        #expect(responder.remoteStaticKey?.bytes == vector.publicKeys[0].bytes)
    }

    @Test(arguments: try Vector.all())
    func `the messages of a transport are the same`(vector: Vector) throws {
        var (initiator, responder) = try Self.finished(vector)
        var (one, other) = (try initiator.split(), try responder.split())
        try Self.compare(vector.fromInitiator, from: &one, to: &other)
        try Self.compare(vector.fromResponder, from: &other, to: &one)
    }

    @Test(arguments: try Vector.all())
    func `the messages with explicit counters are the same`(vector: Vector) throws {
        var (initiator, responder) = try Self.finished(vector)
        var (one, other) = (try initiator.splitUnordered(), try responder.splitUnordered())
        for expected in vector.outOfOrder {
            let counter = try #require(UInt64(expected.counter))
            let (plaintext, beside) = (Array("message".utf8), Array("beside".utf8))
            let message = try one.seal(plaintext, counter: counter, authenticating: beside)
            #expect(message == expected.message.bytes)
            let opened = try other.open(message, counter: counter, authenticating: beside)
            #expect(opened == plaintext)
        }
    }

    @Test(arguments: try Vector.all())
    func `keys, fingerprints and verification words are the same`(vector: Vector) throws {
        let keys = try [Handshake.Role.initiator, .responder].map { try vector.key(of: $0) }
        let publicKeys = keys.map(\.publicKey)
        #expect(publicKeys.map(\.bytes) == vector.publicKeys.map(\.bytes))
        #expect(publicKeys.map(\.fingerprint) == vector.fingerprints)
        #expect(VerificationWords(publicKeys[0], publicKeys[1]).words == vector.words)
        #expect(VerificationWords(publicKeys[1], publicKeys[0]).words == vector.words)
    }

    private static func finished(_ vector: Vector) throws -> (Handshake, Handshake) {
        var pair = Pair(
            initiator: try vector.handshake(as: .initiator),
            responder: try vector.handshake(as: .responder)
        )
        try pair.exchange(payloads: vector.payloads.map(\.bytes))
        return (pair.initiator, pair.responder)
    }

    private static func compare(
        _ messages: [Vector.Message],
        from sender: inout Transport,
        to receiver: inout Transport
    ) throws {
        var hasRekeyed = false
        for expected in messages {
            if expected.rekeyed, !hasRekeyed {
                try sender.rekeySending()
                try receiver.rekeyReceiving()
                hasRekeyed = true
            }
            let message = try sender.seal(expected.plaintext.bytes)
            #expect(message == expected.message.bytes)
            let plaintext = try receiver.open(message)
            #expect(plaintext == expected.plaintext.bytes)
        }
    }
}
