import Testing

@testable import NoiseProtocol

/// XX, XXpsk3, IK and N beside other implementations: 20 vectors, each of both ends.
@Suite("Beside flynn's noise and cacophony")
struct PatternVectorTests {
    @Test func `there are four vectors of each pattern in the one, and one in the other`() throws {
        let vectors = try PatternVector.all()
        for name in ["XX_", "XXpsk3_", "IK_", "N_"] {
            let names = vectors.map(\.name).filter { $0.contains("Noise_\(name)") }
            #expect(names.count { $0.hasPrefix("flynn") } == 4)
            #expect(names.count { $0.hasPrefix("cacophony") } == 1)
        }
    }

    @Test(arguments: try PatternVector.all())
    func `messages are the same, in the handshake and after it`(vector: PatternVector) throws {
        var pair = Pair(
            initiator: try vector.handshake(as: .initiator),
            responder: try vector.handshake(as: .responder)
        )
        let count = vector.pattern.messages.count
        for (payload, message) in vector.messages.prefix(count) {
            #expect(try pair.write(payload) == message)
            #expect(try pair.read(message) == payload)
        }
        for end in [pair.initiator, pair.responder] {
            #expect(end.isFinished)
            if let hash = vector.handshakeHash { #expect(end.handshakeHash == hash) }
        }
        #expect(
            pair.initiator.remoteStaticKey == (try vector.key(vector.responderStatic))?.publicKey
        )
        #expect(
            pair.responder.remoteStaticKey == (try vector.key(vector.initiatorStatic))?.publicKey
        )

        var ends = [try pair.initiator.split(), try pair.responder.split()]
        let rest = vector.messages.dropFirst(count)
        #expect(!rest.isEmpty)
        for (offset, (payload, message)) in rest.enumerated() {
            let isFlynn = vector.handshakeHash == nil
            // Flynn's second one of a handshake that goes one way comes back all the same.
            if isFlynn, vector.pattern.isOneWay, offset > 0 { break }
            // Flynn's initiator begins, whoever sent last.
            let turn = isFlynn ? offset : count + offset
            let sender = vector.pattern.isOneWay ? 0 : turn % 2
            #expect(try ends[sender].seal(payload) == message)
            #expect(try ends[1 - sender].open(message) == payload)
        }
    }
}

@Suite("A handshake with somebody whose key is known")
struct PatternTests {
    private let alice = IdentityKey()
    private let bob = IdentityKey()

    private func refusal(
        of pair: Pair,
        after count: Int
    ) -> NoiseError.Code? {
        var pair = pair
        return NoiseProtocolTests.refusal {
            for _ in 0..<count { _ = try pair.read(try pair.write()) }
        }
    }

    @Test func `takes two messages, and both know each other`() throws {
        var pair = Pair(
            initiator: Handshake(calling: bob.publicKey, with: alice, prologue: [1]),
            responder: Handshake(calledAs: bob, prologue: [1])
        )
        #expect(pair.initiator.remoteStaticKey == nil)
        #expect(try pair.read(try pair.write([1])) == [1])
        #expect(pair.responder.remoteStaticKey == alice.publicKey)
        #expect(pair.initiator.remoteStaticKey == nil)
        #expect(try pair.read(try pair.write([2, 2])) == [2, 2])
        #expect(pair.initiator.remoteStaticKey == bob.publicKey)
        #expect(pair.initiator.handshakeHash == pair.responder.handshakeHash)
        #expect(NoiseProtocolTests.refusal { try pair.initiator.write() } == .finished)
        var (one, other) = (try pair.initiator.split(), try pair.responder.split())
        #expect(try other.open(try one.seal([3])) == [3])
        #expect(try one.open(try other.seal([4])) == [4])
    }

    @Test func `is refused by everybody else`() {
        let pair = Pair(
            initiator: Handshake(calling: bob.publicKey, with: alice),
            responder: Handshake(calledAs: IdentityKey())
        )
        #expect(refusal(of: pair, after: 1) == .authenticationFailed)
    }

    @Test func `goes one way where the initiator stays unknown`() throws {
        var pair = Pair(
            initiator: Handshake(writingTo: bob.publicKey),
            responder: Handshake(writtenToAs: bob)
        )
        #expect(try pair.read(try pair.write([1])) == [1])
        #expect(pair.responder.remoteStaticKey == nil)
        #expect(pair.initiator.remoteStaticKey == bob.publicKey)
        var (one, other) = (try pair.initiator.split(), try pair.responder.split())
        #expect(try other.open(try one.seal([2])) == [2])
        #expect(NoiseProtocolTests.refusal { try other.seal([3]) } == .oneWay)
        #expect(
            NoiseProtocolTests.refusal { try one.open([UInt8](repeating: 0, count: 16)) } == .oneWay
        )
        #expect(NoiseProtocolTests.refusal { try one.rekeyReceiving() } == .oneWay)
        #expect(NoiseProtocolTests.refusal { try other.rekeySending() } == .oneWay)
    }

    @Test func `has a secret in common beside the keys, or is refused`() throws {
        let secrets = try [1, 2].map { byte in
            try #require(PresharedKey([UInt8](repeating: byte, count: 32)))
        }
        func pair(_ one: PresharedKey?, _ other: PresharedKey?) -> Pair {
            Pair(
                initiator: Handshake(as: .initiator, with: alice, presharedKey: one),
                responder: Handshake(as: .responder, with: bob, presharedKey: other)
            )
        }
        #expect(refusal(of: pair(secrets[0], secrets[0]), after: 3) == nil)
        // The third message is the first that it goes into.
        #expect(refusal(of: pair(secrets[0], secrets[1]), after: 2) == nil)
        #expect(refusal(of: pair(secrets[0], secrets[1]), after: 3) == .authenticationFailed)
        #expect(refusal(of: pair(nil, secrets[0]), after: 2) != nil)
        #expect(refusal(of: pair(secrets[0], nil), after: 2) != nil)
        #expect(PresharedKey([1]) == nil)
        #expect("\(secrets[0])" == "a key of 32 bytes")
    }

    @Test(arguments: LowOrderTests.points)
    func `refuses a key of low order`(point: [UInt8]) throws {
        let key = try #require(PublicKey(point))
        var caller = Handshake(calling: key, with: alice)
        #expect(NoiseProtocolTests.refusal { try caller.write() } == .invalidKey)
        var writer = Handshake(writingTo: key)
        #expect(NoiseProtocolTests.refusal { try writer.write() } == .invalidKey)
        var called = Handshake(calledAs: bob)
        let message = point + [UInt8](repeating: 0, count: 64)
        #expect(NoiseProtocolTests.refusal { try called.read(message) } == .invalidKey)
        #expect(NoiseProtocolTests.refusal { try called.write() } == .failed)
    }

    @Test func `has messages of these sizes`() {
        func sizes(_ pattern: HandshakePattern) -> [Int] {
            pattern.messages.indices.map { pattern.overhead(of: $0) }
        }
        #expect(sizes(.xx) == [32, 96, 64])
        #expect(sizes(.xxpsk3) == [48, 96, 64])
        #expect(sizes(.ik) == [96, 48])
        #expect(sizes(.n) == [48])
    }
}
