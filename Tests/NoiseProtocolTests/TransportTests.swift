import Crypto
import Testing

@testable import NoiseProtocol

@Suite("A transport in order")
struct TransportTests {
    private var one: Transport
    private var other: Transport

    init() throws {
        var pair = try Pair(after: 3)
        one = try pair.initiator.split()
        other = try pair.responder.split()
    }

    @Test mutating func `carries messages of all lengths both ways`() throws {
        for count in [0, 1, 15, 16, 17, 244, 512, 65_519] {
            let plaintext = [UInt8](repeating: 9, count: count)
            let message = try one.seal(plaintext)
            #expect(message.count == count + Transport.overheadByteCount)
            #expect(try other.open(message) == plaintext)
            #expect(try one.open(try other.seal(plaintext)) == plaintext)
        }
    }

    @Test mutating func `refuses what is too long or too short`() throws {
        let longest = Transport.maximumPlaintextByteCount
        #expect(longest == 65_519)
        let long = [UInt8](repeating: 0, count: 65_536)
        #expect(refusal { try one.seal(Array(long.prefix(longest + 1))) } == .tooLong)
        #expect(refusal { try one.open(long) } == .tooLong)
        #expect(refusal { try one.open(Array(long.prefix(15))) } == .malformedData)
        #expect(refusal { try one.open([]) } == .malformedData)
    }

    @Test mutating func `refuses a replayed message`() throws {
        let message = try one.seal([1])
        _ = try other.open(message)
        #expect(refusal { try other.open(message) } == .authenticationFailed)
    }

    @Test mutating func `refuses its own message`() throws {
        let message = try one.seal([1])
        #expect(refusal { try one.open(message) } == .authenticationFailed)
    }

    @Test mutating func `refuses a message out of order, and does not count it`() throws {
        let (first, second) = (try one.seal([1]), try one.seal([2]))
        #expect(refusal { try other.open(second) } == .authenticationFailed)
        #expect(try other.open(first) == [1])
        #expect(try other.open(second) == [2])
    }

    @Test mutating func `refuses a message with any bit flipped`() throws {
        let message = try one.seal([1, 2, 3], authenticating: [4])
        for bit in 0..<(message.count * 8) {
            var changed = message
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let code = refusal { try other.open(changed, authenticating: [4]) }
            #expect(code == .authenticationFailed)
        }
        #expect(refusal { try other.open(message) } == .authenticationFailed)
        #expect(refusal { try other.open(message, authenticating: [5]) } == .authenticationFailed)
        #expect(try other.open(message, authenticating: [4]) == [1, 2, 3])
    }

    @Test mutating func `goes on with a new key when both ends have it`() throws {
        let before = try one.seal([1])
        try one.rekeySending()
        let after = try one.seal([2])
        #expect(try other.open(before) == [1])
        #expect(refusal { try other.open(after) } == .authenticationFailed)
        try other.rekeyReceiving()
        #expect(try other.open(after) == [2])
        // The other direction has the key it had.
        #expect(try one.open(try other.seal([3])) == [3])
    }

    @Test func `ends before its counters do`() throws {
        let cipher = CipherState(key: SymmetricKey(size: .bits256), counter: .max - 1)
        var transport = Transport(sending: cipher, receiving: cipher)
        let last = try transport.seal([1])
        #expect(refusal { try transport.seal([1]) } == .lastCounter)
        #expect(try transport.open(last) == [1])
        #expect(refusal { try transport.open(last) } == .lastCounter)
        // The spec keeps the counter.
        try transport.rekeySending()
        #expect(refusal { try transport.seal([1]) } == .lastCounter)
    }
}
