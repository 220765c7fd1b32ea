import BLETesting
import Testing

@testable import NoiseProtocol

@Suite("A transport out of order")
struct UnorderedTransportTests {
    private var one: UnorderedTransport
    private var other: UnorderedTransport

    init() throws {
        var pair = try Pair(after: 3)
        one = try pair.initiator.splitUnordered()
        other = try pair.responder.splitUnordered()
    }

    private mutating func seal(_ counter: UInt64) throws -> [UInt8] {
        try one.seal([UInt8(truncatingIfNeeded: counter)], counter: counter)
    }

    @Test mutating func `opens messages in any order, each once`() throws {
        var generator = SeededGenerator(seed: 1)
        let messages = try (0..<1024).map { (UInt64($0), try seal(UInt64($0))) }
        for (counter, message) in messages.shuffled(using: &generator) {
            let plaintext = try other.open(message, counter: counter)
            #expect(plaintext == [UInt8(truncatingIfNeeded: counter)])
        }
        for (counter, message) in messages {
            #expect(refusal { try other.open(message, counter: counter) } == .replayed)
        }
    }

    @Test mutating func `refuses a message below the window`() throws {
        let messages = try (0...1024).map { try seal(UInt64($0)) }
        _ = try other.open(messages[1024], counter: 1024)
        #expect(refusal { try other.open(messages[0], counter: 0) } == .tooOld)
        #expect(try other.open(messages[1], counter: 1) == [1])
        #expect(refusal { try other.open(messages[1], counter: 1) } == .replayed)
    }

    @Test mutating func `does not move the window for a refused message`() throws {
        let (first, second) = (try seal(0), try seal(1))
        _ = try other.open(second, counter: 1)
        for counter in [2, 5000, UInt64.max - 1] {
            #expect(refusal { try other.open(first, counter: counter) } == .authenticationFailed)
        }
        #expect(refusal { try other.open([], counter: 9000) } == .malformedData)
        // Nor does it count the counter as one that has come.
        var changed = first
        changed[0] ^= 1
        #expect(refusal { try other.open(changed, counter: 0) } == .authenticationFailed)
        #expect(try other.open(first, counter: 0) == [0])
        #expect(refusal { try other.open(second, counter: 1) } == .replayed)
    }

    @Test mutating func `refuses a changed counter`() throws {
        let message = try seal(4)
        for counter in [0, 3, 5, 4 + 1 << 32, UInt64.max - 1] as [UInt64] {
            let code = refusal { try other.open(message, counter: counter) }
            #expect(code == .authenticationFailed)
        }
        #expect(try other.open(message, counter: 4) == [4])
    }

    @Test mutating func `never seals twice with a counter`() throws {
        #expect(one.nextCounter == 0)
        _ = try seal(7)
        #expect(one.nextCounter == 8)
        for counter in 0...7 as ClosedRange<UInt64> {
            #expect(refusal { try one.seal([], counter: counter) } == .usedCounter)
        }
        let long = [UInt8](repeating: 0, count: 65_520)
        #expect(refusal { try one.seal(long, counter: 8) } == .tooLong)
        _ = try seal(8)
    }

    @Test mutating func `has no counter 2⁶⁴ - 1`() throws {
        #expect(refusal { try one.seal([], counter: .max) } == .lastCounter)
        let message = try seal(.max - 1)
        #expect(one.nextCounter == .max)
        #expect(refusal { try one.seal([], counter: .max) } == .lastCounter)
        #expect(refusal { try other.open(message, counter: .max) } == .lastCounter)
        _ = try other.open(message, counter: .max - 1)
        #expect(refusal { try other.open(message, counter: 0) } == .tooOld)
    }

    @Test mutating func `refuses its own message, and data that is not the same`() throws {
        let message = try one.seal([1], counter: 0, authenticating: [2])
        #expect(refusal { try one.open(message, counter: 0) } == .authenticationFailed)
        #expect(refusal { try other.open(message, counter: 0) } == .authenticationFailed)
        #expect(try other.open(message, counter: 0, authenticating: [2]) == [1])
    }

    @Test mutating func `goes on with a new key and the same window`() throws {
        let (first, second) = (try seal(0), try seal(1))
        _ = try other.open(second, counter: 1)
        try one.rekeySending()
        try other.rekeyReceiving()
        #expect(refusal { try other.open(first, counter: 0) } == .authenticationFailed)
        #expect(refusal { try other.open(second, counter: 1) } == .replayed)
        let third = try seal(2)
        #expect(try other.open(third, counter: 2) == [2])
    }
}
