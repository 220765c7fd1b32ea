import BLEDBus
import Testing

@testable import BlueZ

@Suite("The queue of requests")
struct RequestQueueTests {
    private static let one: ObjectPath = "/one"
    private static let other: ObjectPath = "/other"

    private func message(_ path: ObjectPath) -> Message {
        GattCharacteristic1(path: path).readValue
    }

    @Test func `sends one at a time to each characteristic`() {
        var queue = RequestQueue()
        let (first, firstIsNext) = queue.add(message(Self.one), at: Self.one)
        let (second, secondIsNext) = queue.add(message(Self.one), at: Self.one)
        let (third, thirdIsNext) = queue.add(message(Self.one), at: Self.one)
        let (_, otherIsNext) = queue.add(message(Self.other), at: Self.other)
        #expect(
            [firstIsNext, secondIsNext, thirdIsNext, otherIsNext] == [true, false, false, true]
        )
        #expect(queue.didReply(to: first)?.id == second.id)
        #expect(queue.didReply(to: second)?.id == third.id)
        #expect(queue.didReply(to: third) == nil)
        #expect(queue.add(message(Self.one), at: Self.one).isNext)
    }

    @Test func `takes back what has not been sent`() {
        var queue = RequestQueue()
        let (first, _) = queue.add(message(Self.one), at: Self.one)
        let (second, _) = queue.add(message(Self.one), at: Self.one)
        let (third, _) = queue.add(message(Self.one), at: Self.one)
        queue.takeBack(second)
        // What was sent holds the others up until its reply.
        #expect(queue.isWanted(first))
        queue.takeBack(first)
        #expect(queue.isUnderWay(first) && !queue.isWanted(first))
        #expect(queue.didReply(to: first)?.id == third.id)
        #expect(queue.isWanted(third) && !queue.isWanted(first))
    }

    @Test func `loses with a characteristic what its descriptors are asked`() throws {
        var queue = RequestQueue()
        let descriptor = try Self.one.appending("desc1")
        let (below, _) = queue.add(message(descriptor), at: descriptor)
        let (first, _) = queue.add(message(Self.one), at: Self.one)
        let (other, _) = queue.add(message(Self.other), at: Self.other)
        #expect(queue.removeAll(within: Self.one).map(\.id) == [below.id, first.id])
        #expect(queue.removeAll().map(\.id) == [other.id])
    }

    @Test func `takes no reply for what is no longer there`() {
        var queue = RequestQueue()
        let (first, _) = queue.add(message(Self.one), at: Self.one)
        #expect(queue.removeAll(within: Self.one).map(\.id) == [first.id])
        #expect(queue.removeAll(within: Self.one).isEmpty)
        let (second, isNext) = queue.add(message(Self.one), at: Self.one)
        #expect(isNext)
        #expect(queue.didReply(to: first) == nil)
        #expect(queue.removeAll().map(\.id) == [second.id])
    }
}
