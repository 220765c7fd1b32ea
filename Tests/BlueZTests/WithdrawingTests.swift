import BLE
import BLEDBus
import BLETesting
import Testing
import VirtualBlueZ

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

    @Test func `is confirmed when another call that withdraws it returns`() async throws {
        let ball = try await PublishedBall()
        let daemon = ball.world.daemon
        await daemon.keepAll()
        let withdrawal = Task { await ball.publication.withdraw() }
        await daemon.wasCalled("UnregisterApplication")
        let other = Task {
            await ball.publication.withdraw()
            return await daemon.keptCalls().count
        }
        // It has its turns, and would return if it did not wait.
        for _ in 0..<10 { await daemon.untilHandled() }
        while await !daemon.keptCalls().isEmpty { await daemon.reply(at: 0) { $0.reply() } }
        #expect(await other.value == 0)
        await withdrawal.value
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

    // MARK: - Indications

    @Test func `waits for the confirmation of what was indicated`() async throws {
        let room = try await Room()
        let publication = try await room.publish()
        let (link, indication) = try await room.keptConfirmation(of: publication)
        let withdrawal = Task { await publication.withdraw() }
        let service = try #require(publication as? PublishedServices)
        while await !service.isWithdrawing { await Task.yield() }
        // Not sent any more.
        let late = Task { try await publication.indicate(Room.signed, to: [2]) }
        await room.daemon.simulateConfirmation(by: 0, to: 1)
        #expect(try await indication.value == .confirmed)
        await withdrawal.value
        await #expect { _ = try await late.value } throws: { isRadioError(.withdrawn)($0) }
        var events = link.events.makeAsyncIterator()
        guard case .servicesInvalidated = await events.next() else {
            Issue.record("something else was told than the loss of the services")
            return
        }
        await room.close()
    }

    @Test func `ends the connection of a central that does not confirm`() async throws {
        let clock = BLETesting.ManualClock()
        let room = try await Room(recovery: Recovery(clock: clock))
        let publication = try await room.publish()
        let (link, indication) = try await room.keptConfirmation(of: publication)
        let withdrawal = Task { await publication.withdraw() }
        await clock.waitForSleeper(for: .seconds(2))
        await clock.advance(by: .seconds(2))
        #expect(try await indication.value == .unconfirmed)
        await withdrawal.value
        // First, as bluetoothd may die when that ends after the services.
        var events = link.events.makeAsyncIterator()
        guard case .disconnected = await events.next() else {
            Issue.record("something else was told than the end of the connection")
            return
        }
        await room.close()
    }
}
