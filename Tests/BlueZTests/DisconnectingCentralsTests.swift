import BLE
import BLEDBus
import BLETesting
import Testing

@testable import BlueZ

@Suite("Disconnecting a central", .timeLimit(.minutes(10)))
struct DisconnectingCentralsTests {
    private let refusal = BlueZError.reply(for: .unlikelyError)

    /// A ball with a central that has asked something.
    private func ball() async throws -> PublishedBall {
        let ball = try await PublishedBall()
        try await ball.world.daemon.set(
            ["Connected": .bool(true)],
            of: Device1.interface,
            at: PublishedBall.central
        )
        return ball
    }

    @Test func `ends its link, and lets it come back`() async throws {
        let pair = try await Pair()
        let (publication, link) = try await pair.meet()
        var events = pair.responder.events.makeAsyncIterator()
        guard case .connected(let central) = await events.next() else {
            Issue.record("the central was not told")
            return
        }
        try await publication.disconnect(central)
        var last: LinkEvent?
        for await event in link.events { last = event }
        guard case .disconnected(let error?) = last else {
            Issue.record("the central was not told of the end")
            return
        }
        #expect(error.code == .peerGone)
        while case .some(let event) = await events.next() {
            if case .disconnected(central) = event { break }
        }
        let next = try await pair.connect()
        try await next.write([1], to: World.question)
        await pair.close()
    }

    @Test func `does nothing without a link`() async throws {
        let ball = try await PublishedBall()
        try await ball.publication.disconnect(World.ball)
        try await ball.publication.disconnect(PeerID(rawValue: "nobody"))
        #expect(await ball.world.daemon.count("Disconnect") == 0)
        await ball.adapter.close()
    }

    @Test func `takes one that has gone meanwhile for disconnected`() async throws {
        let ball = try await ball()
        var calls = await ball.world.daemon.hold("Disconnect").makeAsyncIterator()
        let task = Task { try await ball.publication.disconnect(World.ball) }
        await calls.next()?.fail(ErrorReply(BlueZError.notConnected, "Not Connected"))
        try await task.value
        await ball.adapter.close()
    }

    @Test func `says what bluetoothd refused`() async throws {
        let ball = try await ball()
        var calls = await ball.world.daemon.hold("Disconnect").makeAsyncIterator()
        let task = Task { try await ball.publication.disconnect(World.ball) }
        await calls.next()?.fail(ErrorReply(BlueZError.failed, "no"))
        await #expect {
            try await task.value
        } throws: { error in
            isRadioError(.failed)(error) && "\(error)".hasPrefix("disconnecting \(World.ball)")
        }
        // Its link is up still, and it may go on.
        try await ball.write([1])
        await ball.adapter.close()
    }

    @Test func `answers first what it waits for, and refuses what it asks then`() async throws {
        let ball = try await ball()
        await ball.responder.hold()
        let write = Task { try await ball.write([1]) }
        var calls = ball.responder.calls.makeAsyncIterator()
        _ = await calls.next()
        let disconnection = Task { try await ball.publication.disconnect(World.ball) }
        let service = try #require(ball.publication as? PublishedServices)
        while await service.disconnecting.isEmpty { await Task.yield() }
        await #expect(throws: refusal) { _ = try await ball.read() }
        #expect(await ball.world.daemon.count("Disconnect") == 0)
        await ball.responder.release()
        try await write.value
        try await disconnection.value
        #expect(await ball.world.daemon.count("Disconnect") == 1)
        await ball.adapter.close()
    }

    @Test func `does not wait for a responder that hangs`() async throws {
        let ball = try await ball()
        await ball.responder.hold()
        var calls = ball.responder.calls.makeAsyncIterator()
        let write = Task { try await ball.write([1]) }
        _ = await calls.next()
        async let disconnection: Void = ball.publication.disconnect(World.ball)
        await ball.world.clock.pass(.seconds(4))
        try await disconnection
        await #expect(throws: refusal) { try await write.value }
        await ball.responder.release()
        await ball.adapter.close()
    }

    @Test func `ends with the publication`() async throws {
        let ball = try await ball()
        await ball.responder.hold()
        var calls = ball.responder.calls.makeAsyncIterator()
        let write = Task { try? await ball.write([1]) }
        _ = await calls.next()
        let disconnection = Task { try await ball.publication.disconnect(World.ball) }
        let service = try #require(ball.publication as? PublishedServices)
        while await service.disconnecting.isEmpty { await Task.yield() }
        await ball.world.daemon.stop()
        await #expect {
            try await disconnection.value
        } throws: {
            isRadioError(.noService)($0)
        }
        await #expect {
            try await ball.publication.disconnect(World.ball)
        } throws: {
            isRadioError(.withdrawn)($0)
        }
        await ball.responder.release()
        await write.value
        await ball.adapter.close()
    }
}
