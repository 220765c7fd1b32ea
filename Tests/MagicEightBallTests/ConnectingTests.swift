import BLE
import BLETesting
import Testing

@testable import MagicEightBall

/// Connections before they are there: who makes them, how they are given up, and how they fail.
@Suite(.timeLimit(.minutes(10)))
struct ConnectingTests {
    @Test func `are those of the question under way`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        let request = try await scene.expect(.connect(ball.id))
        let connecting = scene.connect(ball)
        await scene.clock.waitForSleeper(for: .seconds(7), count: 2)
        request.succeed()
        await scene.hear("connected Ball")
        try await connecting.value
        _ = try await scene.expect(.subscribe)
        asking.cancel()
    }

    @Test func `are tried again when the question under way could not connect`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        await ball.sendQuestion(try Question("Well?"))
        let request = try await scene.expect(.connect(ball.id))
        let connecting = scene.connect(ball)
        await scene.clock.waitForSleeper(for: .seconds(7), count: 2)
        request.fail(RadioError(.connectionFailed, "not there"))
        await scene.hear("failed Ball Well? deviceOffline")
        try await scene.expect(.connect(ball.id)).succeed()
        await scene.hear("connected Ball")
        try await connecting.value
    }

    @Test func `come before the questions that are sent meanwhile`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let connecting = scene.connect(ball)
        let request = try await scene.expect(.connect(ball.id))
        let asking = scene.ask("Well?", of: ball)
        await scene.clock.waitForSleeper(for: .seconds(90))
        request.succeed()
        await scene.hear("connected Ball")
        try await connecting.value
        _ = try await scene.expect(.subscribe)
        asking.cancel()
    }

    @Test func `that fail let the questions try`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let connecting = scene.connect(ball)
        let request = try await scene.expect(.connect(ball.id))
        let asking = scene.ask("Well?", of: ball)
        await scene.clock.waitForSleeper(for: .seconds(90))
        request.fail(RadioError(.connectionFailed, "not there"))
        let error = await scene.failure(of: connecting)
        #expect(error?.code == .deviceOffline)
        #expect(error?.message == "connecting to 'Ball' failed: not there")
        _ = try await scene.expect(.connect(ball.id))
        asking.cancel()
    }

    @Test func `are made once for several calls, as long as one of them waits`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let (first, second) = await scene.central.connectTwice(to: ball)
        let request = try await scene.expect(.connect(ball.id))
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        request.succeed()
        await scene.hear("connected Ball")
        try await second.value
    }

    @Test func `that nobody waits for any more are given up`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let connecting = scene.connect(ball)
        _ = try await scene.expect(.connect(ball.id))
        connecting.cancel()
        await #expect(throws: CancellationError.self) { try await connecting.value }
        #expect(await ball.error?.message == "connecting to 'Ball' was cancelled")
        // The request has ended with it, so the next one is another.
        let again = scene.connect(ball)
        try await scene.expect(.connect(ball.id)).succeed()
        await scene.hear("connected Ball")
        try await again.value
    }

    @Test func `that are cancelled just before they fail are not there`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let connecting = scene.connect(ball)
        _ = try await scene.expect(.connect(ball.id))
        await scene.central.cancel(connecting, andFailToConnectTo: ball.id)
        await #expect(throws: CancellationError.self) { try await connecting.value }
        #expect(await !ball.isConnected)
    }

    @Test func `fail when they take too long`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let connecting = scene.connect(ball)
        _ = try await scene.expect(.connect(ball.id))
        await scene.clock.waitForSleeper(for: .seconds(7))
        await scene.clock.advance(by: .seconds(7))
        let error = await scene.failure(of: connecting)
        #expect(error?.code == .timedOut(.connecting))
        #expect(error?.message == "connecting to 'Ball' took longer than 7 s")
        #expect(await ball.error?.code == .timedOut(.connecting))
    }

    @Test func `fail when the services take too long`() async throws {
        let scene = try await AskingScene()
        await scene.radio.resolveSlowly()
        let ball = try await scene.discover()
        let connecting = scene.connect(ball)
        try await scene.expect(.connect(ball.id)).succeed()
        _ = try await scene.expect(.resolve)
        await scene.clock.waitForSleeper(for: .seconds(8))
        await scene.clock.advance(by: .seconds(8))
        let error = await scene.failure(of: connecting)
        #expect(error?.code == .timedOut(.resolving))
        #expect(error?.message == "reading the services of 'Ball' took longer than 8 s")
        _ = try await scene.expect(.disconnect)
    }

    @Test func `under way end with disconnect`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let connecting = scene.connect(ball)
        _ = try await scene.expect(.connect(ball.id))
        await ball.disconnect()
        #expect(await scene.failure(of: connecting)?.code == .cancelled)
        #expect(await !ball.isConnected)
    }

    @Test func `under way end with a rejection, and with stop`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let first = scene.connect(ball)
        _ = try await scene.expect(.connect(ball.id))
        await ball.rejectConnection(because: .refused)
        #expect(await scene.failure(of: first)?.code == .rejected(.refused))
        let second = scene.connect(ball)
        _ = try await scene.expect(.connect(ball.id))
        await scene.central.stop()
        #expect(await scene.failure(of: second)?.code == .stopped)
        #expect(await scene.failure(of: scene.connect(ball))?.code == .stopped)
    }

    @Test func `are not made to a ball that is lost`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        await scene.radio.report(.lost(ball.id))
        await scene.hear("lost Ball")
        #expect(await scene.failure(of: scene.connect(ball))?.code == .deviceOffline)
        await ball.disconnect()
    }
}

extension EightBallCentral {
    /// Connects in two tasks that run before what the first one begins: both wait when the radio is asked.
    fileprivate func connectTwice(
        to ball: any BallDevice
    ) -> (first: Task<Void, any Error>, second: Task<Void, any Error>) {
        let first = Task { try await connect(to: ball) }
        let second = Task { try await connect(to: ball) }
        return (first, second)
    }

    /// Cancels a call, and fails what it waits for, before it can go on.
    fileprivate func cancel(
        _ connecting: Task<Void, any Error>,
        andFailToConnectTo peer: PeerID
    ) {
        connecting.cancel()
        endConnecting(to: peer, because: EightBallError(.deviceOffline, "not there"))
    }
}

extension AskingScene {
    /// Connects in a task of its own, so that the test can play the ball meanwhile.
    func connect(_ ball: any BallDevice) -> Task<Void, any Error> {
        Task { try await ball.connect() }
    }

    /// What connecting failed with.
    func failure(
        of connecting: Task<Void, any Error>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> EightBallError? {
        await #expect(throws: EightBallError.self, sourceLocation: sourceLocation) {
            try await connecting.value
        }
    }
}
