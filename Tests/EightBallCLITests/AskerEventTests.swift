import BLE
import EightBallCLI
import Testing

@Suite("One asker alone")
struct AskerEventTests {
    private struct Stopped: Error {}

    private let asker = PeerID(rawValue: "A")
    private let other = PeerID(rawValue: "B")

    @Test func `is served when it leaves after its answer, not when it or another one left before`()
        async throws
    {
        let (events, continuation) = AsyncThrowingStream.makeStream(of: AskerEvent.self)
        let all: [AskerEvent] = [
            .left(asker), .answered(asker), .left(other), .left(asker), .answered(other),
        ]
        for event in all { continuation.yield(event) }
        try await events.untilServed(leavingWithin: .seconds(1000), on: ContinuousClock())
        var rest = events.makeAsyncIterator()
        #expect(try await rest.next() == .answered(other))
    }

    @Test func `is served also when the ball stops after the answer, and not before`() async throws
    {
        let (events, continuation) = AsyncThrowingStream.makeStream(of: AskerEvent.self)
        continuation.yield(.answered(asker))
        continuation.finish(throwing: Stopped())
        try await events.untilServed(leavingWithin: .seconds(1000), on: ContinuousClock())

        let (none, end) = AsyncThrowingStream.makeStream(of: AskerEvent.self)
        end.finish(throwing: Stopped())
        await #expect(throws: Stopped.self) {
            try await none.untilServed(leavingWithin: .seconds(1000), on: ContinuousClock())
        }
    }
}
