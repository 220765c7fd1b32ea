import BLE
import Testing
import VirtualBlueZ

@testable import BlueZ

/// An MTU that is exchanged while there is a connection.
@Suite("An MTU that changes", .timeLimit(.minutes(10)))
struct MTUTests {
    /// The next write, with what it was asked with.
    private func write(_ room: Room) async -> (value: [UInt8], request: GATTRequest)? {
        for await call in room.responder.calls {
            if case .write(_, let value, let request) = call { return (value, request) }
        }
        return nil
    }

    @Test func `is an event of a link, and says how much can be written`() async throws {
        let room = try await Room(mtu: 23)
        _ = try await room.publish()
        let link = try await room.link()
        #expect(await link.maximumWriteByteCount(.withoutResponse) == 20)
        var events = link.events.makeAsyncIterator()
        for mtu in [185, 517] {
            await room.daemon.simulateMTUExchange(of: mtu, between: 0, and: 1)
            guard case .mtuChanged(mtu) = await events.next() else {
                Issue.record("no event of an MTU of \(mtu)")
                break
            }
            #expect(await link.mtuBytes == mtu)
            let count = await link.maximumWriteByteCount(.withoutResponse)
            #expect(count == min(mtu - 3, 508))
            let value = [UInt8](repeating: 1, count: count)
            try await link.writeWithoutResponse(value, to: Room.input)
            #expect(await write(room)?.value == value)
        }
        await room.close()
    }

    @Test func `is known to a publication before a central's next request`() async throws {
        let room = try await Room(mtu: 23)
        let publication = try await room.publish()
        let link = try await room.link()
        try await link.write([1], to: Room.input)
        let first = try #require(await write(room)).request
        #expect(first.mtuBytes == 23)
        #expect(await publication.mtuBytes(of: first.central) == 23)
        await room.daemon.simulateMTUExchange(of: 185, between: 1, and: 0)
        // Comes behind the MTU, and brings none itself.
        try await link.subscribe(to: Room.output)
        for await case .subscribed in room.responder.events { break }
        #expect(await publication.mtuBytes(of: first.central) == 185)
        try await link.write([2], to: Room.input)
        #expect(await write(room)?.request.mtuBytes == 185)
        await room.close()
    }

    @Test func `is not that of an earlier connection`() async throws {
        let room = try await Room(mtu: 23)
        let publication = try await room.publish()
        let link = try await room.link()
        try await link.write([1], to: Room.input)
        let central = try #require(await write(room)).request.central
        await room.daemon.simulateMTUExchange(of: 185, between: 1, and: 0)
        await room.daemon.simulateDisconnection(between: 0, and: 1)
        var events = room.responder.events.makeAsyncIterator()
        while let event = await events.next() { if case .disconnected = event { break } }
        #expect(await publication.mtuBytes(of: central) == nil)
        let next = try await room.link()
        while let event = await events.next() { if case .connected = event { break } }
        #expect(await publication.mtuBytes(of: central) == nil)
        try await next.write([2], to: Room.input)
        #expect(await write(room)?.request.mtuBytes == 23)
        #expect(await publication.mtuBytes(of: central) == 23)
        await room.close()
    }
}
