import BLE
import BLEDBus
import BLETesting
import Testing

@testable import BlueZ

@Suite("Withdrawing", .timeLimit(.minutes(10)))
struct WithdrawingTests {
    private let refusal = BlueZError.reply(for: .unlikelyError)

    /// A write that the responder has been called with, and does not reply to before it is released.
    private func heldWrite(of ball: PublishedBall) async -> Task<Void, any Error> {
        await ball.responder.hold()
        let write = Task { try await ball.write([1]) }
        var calls = ball.responder.calls.makeAsyncIterator()
        _ = await calls.next()
        return write
    }

    private func waitUntilWithdrawing(_ ball: PublishedBall) async throws {
        let service = try #require(ball.publication as? PublishedServices)
        while await !service.isWithdrawing { await Task.yield() }
    }

    @Test func `replies first to what waits, and refuses what is asked then`() async throws {
        let ball = try await PublishedBall()
        let write = await heldWrite(of: ball)
        let withdrawal = Task { await ball.publication.withdraw() }
        // Nobody else is to find it meanwhile.
        await ball.world.daemon.wasCalled("UnregisterAdvertisement")
        await #expect(throws: refusal) { _ = try await ball.read() }
        await #expect(throws: refusal) { try await ball.write([2]) }
        #expect(await ball.world.daemon.count("UnregisterApplication") == 0)
        await ball.responder.release()
        try await write.value
        await withdrawal.value
        #expect(await ball.world.daemon.count("UnregisterApplication") == 1)
        await ball.adapter.close()
    }

    @Test func `does not wait for a responder that hangs`() async throws {
        let ball = try await PublishedBall()
        let write = await heldWrite(of: ball)
        async let withdrawal: Void = ball.publication.withdraw()
        await ball.world.clock.pass(.seconds(4))
        await withdrawal
        await #expect(throws: refusal) { try await write.value }
        #expect(await ball.world.daemon.count("UnregisterApplication") == 1)
        await ball.responder.release()
        await ball.adapter.close()
    }

    @Test func `does not wait for the reply of a responder that withdraws it`() async throws {
        let ball = try await PublishedBall()
        let publication = ball.publication
        await ball.responder.whenWritten { await publication.withdraw() }
        _ = try? await ball.write([1])
        #expect(await ball.world.daemon.count("UnregisterApplication") == 1)
        await ball.adapter.close()
    }

    @Test func `twice at once, and cancelled, is done once`() async throws {
        let ball = try await PublishedBall()
        let write = await heldWrite(of: ball)
        let withdrawals = [
            Task { await ball.publication.withdraw() }, Task { await ball.publication.withdraw() },
        ]
        try await waitUntilWithdrawing(ball)
        withdrawals[0].cancel()
        await ball.responder.release()
        try await write.value
        for withdrawal in withdrawals { await withdrawal.value }
        #expect(await ball.world.daemon.count("UnregisterApplication") == 1)
        await ball.adapter.close()
    }

    @Test func `ends when bluetoothd does meanwhile`() async throws {
        let ball = try await PublishedBall()
        let write = await heldWrite(of: ball)
        let withdrawal = Task { await ball.publication.withdraw() }
        try await waitUntilWithdrawing(ball)
        await ball.world.daemon.stop()
        await withdrawal.value
        await ball.responder.release()
        _ = try? await write.value
        await ball.adapter.close()
    }
}
