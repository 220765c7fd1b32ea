import Testing

@testable import NoiseProtocol

/// What somebody between the two ends does to the messages of a handshake.
@Suite("A handshake somebody interferes with")
struct ForgeryTests {
    @Test(arguments: 0..<3)
    func `leads to no session with any bit flipped`(index: Int) async throws {
        var pair = try Pair(after: index)
        let message = try pair.write([1, 2])
        for bit in 0..<(message.count * 8) {
            // Others, on buses, have limits of time.
            await Task.yield()
            var changed = message
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(try Self.isRefused(changed, instead: pair), "bit \(bit)")
        }
        #expect(try !Self.isRefused(message, instead: pair))
    }

    @Test(arguments: 0..<3)
    func `leads to no session with bytes missing or added`(index: Int) async throws {
        var pair = try Pair(after: index)
        let message = try pair.write([1, 2])
        for count in 0..<message.count {
            await Task.yield()
            #expect(try Self.isRefused(Array(message.prefix(count)), instead: pair))
            #expect(try Self.isRefused(Array(message.suffix(count)), instead: pair))
        }
        for added in [[0], Array(repeating: 0, count: 16), message] {
            #expect(try Self.isRefused(message + added, instead: pair))
            #expect(try Self.isRefused(added + message, instead: pair))
        }
    }

    @Test(arguments: 0..<3)
    func `leads to no session with a message of another handshake`(index: Int) throws {
        var (pair, other) = (try Pair(after: index), try Pair(after: index))
        let message = try other.write()
        _ = try pair.write()
        #expect(try Self.isRefused(message, instead: pair))
    }

    @Test func `leads to no session with another prologue`() throws {
        var pair = Pair(
            initiator: Handshake(as: .initiator, with: IdentityKey(), prologue: [1]),
            responder: Handshake(as: .responder, with: IdentityKey(), prologue: [2])
        )
        let message = try pair.write()
        #expect(try Self.isRefused(message, instead: pair))
    }

    @Test func `does not take its own message for the other end's`() throws {
        var pair = try Pair()
        // With a payload it is long enough for message 2.
        let first = try pair.initiator.write(Array(repeating: 0, count: 200))
        #expect(refusal { try pair.initiator.read(first) } == .invalidKey)

        pair = try Pair(after: 1)
        let second = try pair.responder.write()
        #expect(refusal { try pair.responder.read(second) } == .authenticationFailed)
    }

    @Test func `does not take a reflection for another person`() throws {
        // All messages go to a responder of the same person.
        let key = IdentityKey()
        var pair = Pair(
            initiator: Handshake(as: .initiator, with: key),
            responder: Handshake(as: .responder, with: key)
        )
        try pair.exchange(payloads: [[]])
        let second = try pair.write()
        #expect(refusal { try pair.read(second) } == .invalidKey)
    }

    @Test func `shows a man in the middle in fingerprint and words`() throws {
        let (alice, mallory, bob) = (IdentityKey(), IdentityKey(), IdentityKey())
        var left = Pair(
            initiator: Handshake(as: .initiator, with: alice),
            responder: Handshake(as: .responder, with: mallory)
        )
        var right = Pair(
            initiator: Handshake(as: .initiator, with: mallory),
            responder: Handshake(as: .responder, with: bob)
        )
        for _ in 0..<3 {
            try left.exchange(payloads: [[]])
            try right.exchange(payloads: [[]])
        }
        // Both have a session, but not with each other.
        let seenByAlice = try #require(left.initiator.remoteStaticKey)
        let seenByBob = try #require(right.responder.remoteStaticKey)
        #expect(seenByAlice.fingerprint != bob.publicKey.fingerprint)
        #expect(seenByBob.fingerprint != alice.publicKey.fingerprint)
        let wordsOfAlice = VerificationWords(alice.publicKey, seenByAlice)
        let wordsOfBob = VerificationWords(seenByBob, bob.publicKey)
        #expect(wordsOfAlice != wordsOfBob)
        #expect(left.initiator.handshakeHash != right.responder.handshakeHash)
    }

    /// Whether a message leads to no session, in place of the one that was written last.
    private static func isRefused(_ message: [UInt8], instead pair: Pair) throws -> Bool {
        var pair = pair
        let code = refusal {
            _ = try pair.read(message)
            // The first one has nothing to be refused by: the next one is.
            while !(pair.initiator.isFinished && pair.responder.isFinished) {
                _ = try pair.read(try pair.write())
            }
        }
        return code != nil
    }
}
