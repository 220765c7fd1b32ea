import Testing

@testable import BLESession

@Suite(.timeLimit(.minutes(10)))
struct EventStreamsTests {
    private enum Event: Hashable, Sendable {
        case number(Int)
        case missed(Int)
    }

    private func streams() -> EventStreams<Event> { EventStreams { .missed($0) } }

    @Test("Every stream has each event once, in order, from when it was added")
    func order() async {
        var streams = streams()
        streams.send(.number(0))
        let first = streams.add { _ in }
        streams.send(.number(1))
        let second = streams.add { _ in }
        streams.send(.number(2))
        var firstEvents = first.makeAsyncIterator()
        var secondEvents = second.makeAsyncIterator()
        #expect(await firstEvents.next() == .number(1))
        #expect(await firstEvents.next() == .number(2))
        #expect(await secondEvents.next() == .number(2))
    }

    @Test("Events beyond 4096 are dropped, and the consumer is told in their place how many")
    func overflow() async {
        var streams = streams()
        var events = streams.add { _ in }.makeAsyncIterator()
        for number in 1...4099 { streams.send(.number(number)) }
        #expect(await events.next() == .number(1))
        streams.send(.number(5000))
        streams.send(.number(5001))
        for number in 2...4096 { #expect(await events.next() == .number(number)) }
        #expect(await events.next() == .missed(3))
        #expect(await events.next() == .number(5000))
        #expect(await events.next() == .missed(1))
        streams.send(.number(5002))
        #expect(await events.next() == .number(5002))
    }

    @Test("A stream ends when it is removed, and when whoever sends has gone")
    func ends() async {
        var streams: EventStreams? = streams()
        let removed = streams?.add { _ in }
        streams?.remove(1)
        let left = streams?.add { _ in }
        streams?.send(.number(1))
        streams = nil
        #expect(await removed?.reduce(into: []) { $0.append($1) } == [])
        #expect(await left?.reduce(into: []) { $0.append($1) } == [.number(1)])
    }

    @Test("Whoever sends is told of a stream that was dropped, or whose task was cancelled")
    func consumerGone() async {
        var streams = streams()
        let (ids, ended) = AsyncStream.makeStream(of: Int.self)
        var endings = ids.makeAsyncIterator()
        _ = streams.add { ended.yield($0) }
        #expect(await endings.next() == 1)
        let stream = streams.add { ended.yield($0) }
        let consumer = Task { for await _ in stream {} }
        consumer.cancel()
        await consumer.value
        #expect(await endings.next() == 2)
    }
}
