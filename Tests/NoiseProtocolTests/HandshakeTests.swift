import Testing

@testable import NoiseProtocol

@Suite("A handshake")
struct HandshakeTests {
    @Test func `carries payloads, and both ends know each other then`() throws {
        let (alice, bob) = (IdentityKey(), IdentityKey())
        var pair = Pair(
            initiator: Handshake(as: .initiator, with: alice, prologue: [1]),
            responder: Handshake(as: .responder, with: bob, prologue: [1])
        )
        for payload: [UInt8] in [[1], [2, 2], []] {
            #expect(try pair.read(try pair.write(payload)) == payload)
        }
        #expect(pair.initiator.remoteStaticKey == bob.publicKey)
        #expect(pair.responder.remoteStaticKey == alice.publicKey)
        #expect(pair.initiator.handshakeHash?.count == 32)
        #expect(pair.initiator.handshakeHash == pair.responder.handshakeHash)
        var (one, other) = (try pair.initiator.split(), try pair.responder.split())
        #expect(try other.open(try one.seal([3])) == [3])
        #expect(try one.open(try other.seal([4])) == [4])
    }

    @Test func `is another one each time`() throws {
        let (one, other) = (try Pair(after: 3), try Pair(after: 3))
        #expect(one.initiator.handshakeHash != other.initiator.handshakeHash)
    }

    @Test func `knows nobody, and has no hash, before it has to`() throws {
        for count in 0...3 {
            let pair = try Pair(after: count)
            #expect((pair.initiator.remoteStaticKey != nil) == (count >= 2))
            #expect((pair.responder.remoteStaticKey != nil) == (count == 3))
            for end in [pair.initiator, pair.responder] {
                #expect(end.isFinished == (count == 3))
                #expect((end.handshakeHash != nil) == (count == 3))
            }
        }
    }

    @Test(arguments: 0..<3)
    func `refuses a call at the wrong turn, and goes on`(count: Int) throws {
        var pair = try Pair(after: count)
        if pair.initiator.isTurnToWrite {
            #expect(refusal { try pair.initiator.read([]) } == .wrongTurn)
            #expect(refusal { try pair.responder.write() } == .wrongTurn)
        } else {
            #expect(refusal { try pair.responder.read([]) } == .wrongTurn)
            #expect(refusal { try pair.initiator.write() } == .wrongTurn)
        }
        #expect(refusal { try pair.initiator.split() } == .notFinished)
        #expect(refusal { try pair.responder.splitUnordered() } == .notFinished)
        try pair.exchange(payloads: Array(repeating: [], count: 3 - count))
        #expect(pair.initiator.isFinished && pair.responder.isFinished)
    }

    @Test func `has no fourth message, and is split once`() throws {
        var pair = try Pair(after: 3)
        #expect(refusal { try pair.initiator.write() } == .finished)
        #expect(refusal { try pair.initiator.read([]) } == .finished)
        let hash = pair.initiator.handshakeHash
        _ = try pair.initiator.split()
        #expect(refusal { try pair.initiator.split() } == .finished)
        #expect(refusal { try pair.initiator.splitUnordered() } == .finished)
        #expect(pair.initiator.handshakeHash == hash)
        #expect(pair.initiator.remoteStaticKey != nil)
    }

    @Test(arguments: zip(0..<3, [32, 96, 64]))
    func `takes messages up to 65,535 bytes`(index: Int, overhead: Int) throws {
        var pair = try Pair(after: index)
        let longest = [UInt8](repeating: 7, count: 65_535 - overhead)
        #expect(refusal { try pair.write(longest + [7]) } == .tooLong)
        // A payload that is too long has changed nothing.
        let message = try pair.write(longest)
        #expect(message.count == 65_535)
        var reader = pair.reader
        #expect(refusal { try reader.read(message + [0]) } == .tooLong)
        #expect(refusal { try reader.read(message) } == .failed)
        #expect(try pair.read(message) == longest)
    }

    @Test func `fails for good with a refused message`() throws {
        var pair = try Pair(after: 1)
        let message = try pair.write()
        var changed = message
        changed[95] ^= 1
        #expect(refusal { try pair.read(changed) } == .authenticationFailed)
        #expect(refusal { try pair.read(message) } == .failed)
        #expect(refusal { try pair.initiator.write() } == .failed)
        #expect(refusal { try pair.initiator.split() } == .failed)
        #expect(pair.initiator.remoteStaticKey == nil)
        #expect(pair.initiator.handshakeHash == nil)
        #expect(!pair.initiator.isTurnToWrite && !pair.initiator.isFinished)
    }

    @Test func `says what was refused, and why`() throws {
        var pair = try Pair(after: 1)
        do {
            _ = try pair.initiator.read([1, 2])
            Issue.record("it was not refused")
        } catch {
            #expect(error.code.description == "malformedData")
            #expect("\(error)" == "message 2 has 2 bytes, not 96...65535")
        }
    }
}
