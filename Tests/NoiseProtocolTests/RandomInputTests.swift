import BLETesting
import Foundation
import Testing

@testable import NoiseProtocol

@Suite("Random bytes")
struct RandomInputTests {
    /// `EIGHTBALL_SCHEDULES` says how many.
    private static let count =
        ProcessInfo.processInfo.environment["EIGHTBALL_SCHEDULES"].flatMap { Int($0) } ?? 500

    /// Message 1 has nothing to be refused by: then the responder answers, and refuses message 3.
    @Test func `are no handshake for a responder`() async throws {
        var generator = SeededGenerator(seed: 1)
        let template = Handshake(as: .responder, with: IdentityKey())
        for _ in 0..<Self.count {
            // Others, on buses, have limits of time.
            await Task.yield()
            var responder = template
            let first = generator.bytes()
            let code = refusal { try responder.read(first) }
            guard (32...65_535).contains(first.count) else {
                #expect(code == (first.count < 32 ? .malformedData : .tooLong))
                continue
            }
            #expect(code == nil)
            _ = try responder.write()
            let third = generator.bytes()
            #expect(refusal { try responder.read(third) } != nil)
            #expect(refusal { try responder.split() } == .failed)
        }
    }

    @Test func `are no message for an initiator`() async throws {
        var generator = SeededGenerator(seed: 2)
        let template = try Pair(after: 1).initiator
        for _ in 0..<Self.count {
            // Others, on buses, have limits of time.
            await Task.yield()
            var initiator = template
            let message = generator.bytes()
            #expect(refusal { try initiator.read(message) } != nil)
            #expect(refusal { try initiator.split() } == .failed)
        }
    }

    @Test func `are no message for a transport`() async throws {
        var generator = SeededGenerator(seed: 3)
        var pair = try Pair(after: 3)
        var transport = try pair.initiator.split()
        var unordered = try pair.responder.splitUnordered()
        for _ in 0..<Self.count {
            // Others, on buses, have limits of time.
            await Task.yield()
            let (message, data) = (generator.bytes(), generator.bytes())
            let counter = generator.next() >> UInt64.random(in: 0...63, using: &generator)
            #expect(refusal { try transport.open(message, authenticating: data) } != nil)
            let code = refusal {
                try unordered.open(message, counter: counter, authenticating: data)
            }
            #expect(code != nil)
        }
    }
}
