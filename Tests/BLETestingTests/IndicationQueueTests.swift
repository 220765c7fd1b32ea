import BLE
import Testing

@testable import BLETesting

@Suite("An indication queue")
struct IndicationQueueTests {
    private let phone = PeerID(rawValue: "Phone")
    private let tablet = PeerID(rawValue: "Tablet")

    private func indication(_ id: Int, to central: PeerID? = nil) -> IndicationQueue.Indication {
        .init(id: id, value: [], central: central, outcome: Promise())
    }

    @Test func `has one outstanding until all have confirmed`() async throws {
        var queue = IndicationQueue()
        let first = indication(1)
        for added in [first, indication(2)] { _ = queue.add(added) }
        let sent = queue.next([phone, tablet])
        #expect(sent?.centrals == [phone, tablet])
        let next1 = queue.next([phone, tablet])?.indication.id
        #expect(next1 == nil)
        queue.end(1, of: phone, .confirmed)
        queue.end(2, of: tablet, .confirmed)
        let next2 = queue.next([phone, tablet])?.indication.id
        #expect(next2 == nil)
        queue.end(1, of: tablet, .confirmed)
        #expect(try await first.outcome?.wait() == .confirmed)
        let next3 = queue.next([phone])?.indication.id
        #expect(next3 == 2)
    }

    @Test func `skips what nobody would get`() async throws {
        var queue = IndicationQueue()
        let first = indication(1, to: tablet)
        for added in [first, indication(2, to: phone)] { _ = queue.add(added) }
        let next4 = queue.next([phone])?.indication.id
        #expect(next4 == 2)
        #expect(try await first.outcome?.wait() == .unconfirmed)
    }

    @Test func `is not confirmed once a central is lost`() async throws {
        var queue = IndicationQueue()
        let first = indication(1)
        let isAdded = queue.add(first)
        #expect(isAdded)
        _ = queue.next([phone, tablet])
        queue.end(nil, of: phone, .unconfirmed)
        queue.end(1, of: tablet, .confirmed)
        #expect(try await first.outcome?.wait() == .unconfirmed)
        #expect(queue.count == 0)
    }

    @Test func `keeps 256`() {
        var queue = IndicationQueue()
        let added = (0...256).map { queue.add(indication($0)) }
        #expect(added.count(where: \.self) == 256)
        queue.cancel(0)
        let isAdded = queue.add(indication(257))
        #expect(isAdded)
    }
}
