import BLE
import Testing
import VirtualBlueZ

@testable import BlueZ

/// Two parts of one program over one connection.
@Suite("A connection with several links", .timeLimit(.minutes(10)))
struct SharedConnectionTests {
    @Test func `serves each link as if it were alone`() async throws {
        let room = try await Room()
        let publication = try await room.publish()
        let first = try await room.link()
        let second = try await room.link()
        try await first.subscribe(to: Room.output)
        try await second.subscribe(to: Room.output)
        try await second.subscribe(to: Room.level)
        var firstEvents = first.events.makeAsyncIterator()
        var secondEvents = second.events.makeAsyncIterator()
        try await publication.update(Room.level, to: [80])
        try await publication.update(Room.output, to: [1])
        #expect(await firstEvents.next()?.value == [1])
        #expect(await secondEvents.next()?.value == [80])
        #expect(await secondEvents.next()?.value == [1])
        // One leaves, in the middle of the other's use.
        try await first.unsubscribe(from: Room.output)
        await first.disconnect()
        guard case .disconnected(nil) = await firstEvents.next() else {
            Issue.record("the first link did not end")
            return
        }
        try await publication.update(Room.output, to: [2])
        #expect(await secondEvents.next()?.value == [2])
        await room.close()
    }

    @Test func `gives each stream of notifications all values, and lets each end alone`()
        async throws
    {
        let room = try await Room()
        let publication = try await room.publish()
        let link = try await room.link()
        let first = try await link.notifications(of: Room.output)
        let second = try await link.notifications(of: Room.output)
        try await publication.update(Room.output, to: [1])
        for values in [first, second] {
            for try await value in values {
                #expect(value == [1])
                break
            }
        }
        // Dropped streams are unsubscribed from; another one begins anew.
        let third = try await link.notifications(of: Room.output)
        try await publication.update(Room.output, to: [2])
        for try await value in third {
            #expect(value == [2])
            break
        }
        await link.disconnect()
        await room.close()
    }

    @Test func `ends the stream that nobody reads, and no other`() async throws {
        let room = try await Room()
        let publication = try await room.publish()
        let link = try await room.link()
        try await link.subscribe(to: Room.level)
        let slow = try await link.notifications(of: Room.output)
        let read = try await link.notifications(of: Room.output)
        var values = read.makeAsyncIterator()
        // One more than is too many: then all has been done about that one.
        for number in 0...Leases.maximumEventCount + 1 {
            try await publication.update(Room.output, to: [UInt8(number % 256)])
            #expect(try await values.next() == [UInt8(number % 256)])
        }
        var count = 0
        await #expect {
            for try await _ in slow { count += 1 }
        } throws: {
            isRadioError(.overflow)($0)
        }
        #expect(count == Leases.maximumEventCount)
        try await publication.update(Room.level, to: [7])
        var events = link.events.makeAsyncIterator()
        #expect(await events.next()?.value == [7])
        await room.close()
    }

    @Test func `ends the link whose events nobody reads, and no other`() async throws {
        let room = try await Room()
        let publication = try await room.publish()
        let slow = try await room.link()
        let read = try await room.link()
        try await slow.subscribe(to: Room.output)
        try await read.subscribe(to: Room.output)
        var events = read.events.makeAsyncIterator()
        // One more than is too many: then all has been done about that one.
        for number in 0...Leases.maximumEventCount + 1 {
            try await publication.update(Room.output, to: [UInt8(number % 256)])
            #expect(await events.next()?.value == [UInt8(number % 256)])
        }
        var last: LinkEvent?
        for await event in slow.events { last = event }
        guard case .disconnected(let error) = last, error?.code == .overflow else {
            Issue.record("the slow link ended with \(String(describing: last))")
            return
        }
        try await publication.update(Room.output, to: [9])
        #expect(await events.next()?.value == [9])
        await room.close()
    }

    @Test func `ends all links and streams when it is lost`() async throws {
        let room = try await Room()
        _ = try await room.publish()
        let first = try await room.link()
        let second = try await room.link()
        let values = try await second.notifications(of: Room.output)
        await room.daemon.simulateDisconnection(between: 0, and: 1)
        for link in [first, second] {
            var last: LinkEvent?
            for await event in link.events { last = event }
            guard case .disconnected(let error) = last, error?.code == .peerGone else {
                Issue.record("a link ended with \(String(describing: last))")
                return
            }
            #expect(await link.services.isEmpty)
        }
        await #expect { for try await _ in values {} } throws: { isRadioError(.peerGone)($0) }
        await room.close()
    }
}
