import BLE
import BLETesting
import MagicEightBall
import Testing

/// Connections that are made before a question, and held.
@Suite(.timeLimit(.minutes(3)))
struct HeldConnectionTests {
    /// Connects in a task of its own, so that the test can play the ball meanwhile.
    private func connect(_ ball: any BallDevice) -> Task<Void, any Error> {
        Task { try await ball.connect() }
    }

    private func failure(
        of connecting: Task<Void, any Error>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> EightBallError? {
        await #expect(throws: EightBallError.self, sourceLocation: sourceLocation) {
            try await connecting.value
        }
    }

    /// Connects a ball, and waits until it is.
    private func connected(_ name: String, in scene: AskingScene) async throws -> any BallDevice {
        let ball = try await scene.discover(name)
        let connecting = connect(ball)
        try await scene.expect(.connect(ball.id)).succeed()
        await scene.hear("connected \(name)")
        try await connecting.value
        return ball
    }

    /// Asks over the link that there is, up to the end.
    private func ask(_ ball: any BallDevice, in scene: AskingScene) async throws {
        let asking = scene.ask("Well?", of: ball)
        try await scene.expect(.subscribe).succeed()
        try await scene.expect(.write(Array("Well?".utf8))).succeed()
        await scene.hear("asked \(ball.name) Well?")
        await scene.notify("Yes.", from: ball.name)
        await scene.hear("answered \(ball.name) Well? Yes.")
        #expect(try await asking.value.stock == .yes)
        try await scene.expect(.unsubscribe).succeed()
    }

    @Test func `are kept for questions, and longer than idle ones, until they are ended`()
        async throws
    {
        let scene = try await AskingScene()
        let ball = try await connected("Ball", in: scene)
        #expect(await ball.isConnected)
        try await ball.connect()
        try await ask(ball, in: scene)
        await scene.clock.advance(by: .seconds(400))
        try await ask(ball, in: scene)
        await ball.disconnect()
        _ = try await scene.expect(.disconnect)
        await scene.hear("disconnected Ball")
        #expect(await !ball.isConnected)
        await ball.disconnect()
        let again = scene.ask("Again?", of: ball)
        _ = try await scene.expect(.connect(ball.id))
        again.cancel()
    }

    @Test func `end with the question under way once they are no longer held`() async throws {
        let scene = try await AskingScene()
        let ball = try await connected("Ball", in: scene)
        let asking = scene.ask("Well?", of: ball)
        try await scene.expect(.subscribe).succeed()
        let write = try await scene.expect(.write(Array("Well?".utf8)))
        await ball.disconnect()
        write.succeed()
        await scene.hear("asked Ball Well?")
        await scene.notify("Yes.")
        await scene.hear("answered Ball Well? Yes.")
        _ = try await asking.value
        try await scene.expect(.unsubscribe).succeed()
        _ = try await scene.expect(.disconnect)
        await scene.hear("disconnected Ball")
    }

    @Test func `that a question is making end with it after disconnect`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        let request = try await scene.expect(.connect(ball.id))
        await ball.disconnect()
        request.succeed()
        await scene.hear("connected Ball")
        try await scene.expect(.subscribe).fail(RadioError(.failed, "no"))
        #expect(await scene.failure(of: asking)?.code == .failed)
        await scene.hear("failed Ball Well? failed")
        await scene.hear("disconnected Ball")
    }

    @Test func `are those of the question under way`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        let request = try await scene.expect(.connect(ball.id))
        let connecting = connect(ball)
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
        let connecting = connect(ball)
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
        let connecting = connect(ball)
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
        let connecting = connect(ball)
        let request = try await scene.expect(.connect(ball.id))
        let asking = scene.ask("Well?", of: ball)
        await scene.clock.waitForSleeper(for: .seconds(90))
        request.fail(RadioError(.connectionFailed, "not there"))
        let error = await failure(of: connecting)
        #expect(error?.code == .deviceOffline)
        #expect(error?.message == "connecting to 'Ball' failed: not there")
        _ = try await scene.expect(.connect(ball.id))
        asking.cancel()
    }

    @Test func `are made once for several calls, as long as one of them waits`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let (first, second) = (connect(ball), connect(ball))
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
        let connecting = connect(ball)
        _ = try await scene.expect(.connect(ball.id))
        connecting.cancel()
        await #expect(throws: CancellationError.self) { try await connecting.value }
        // The request has ended with it, so the next one is another.
        let again = connect(ball)
        try await scene.expect(.connect(ball.id)).succeed()
        await scene.hear("connected Ball")
        try await again.value
    }

    @Test func `fail when they take too long`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let connecting = connect(ball)
        _ = try await scene.expect(.connect(ball.id))
        await scene.clock.waitForSleeper(for: .seconds(7))
        await scene.clock.advance(by: .seconds(7))
        let error = await failure(of: connecting)
        #expect(error?.code == .timedOut(.connecting))
        #expect(error?.message == "connecting to 'Ball' took longer than 7 s")
        #expect(await ball.error?.code == .timedOut(.connecting))
    }

    @Test func `fail when the services take too long`() async throws {
        let scene = try await AskingScene()
        await scene.radio.resolveSlowly()
        let ball = try await scene.discover()
        let connecting = connect(ball)
        try await scene.expect(.connect(ball.id)).succeed()
        _ = try await scene.expect(.resolve)
        await scene.clock.waitForSleeper(for: .seconds(8))
        await scene.clock.advance(by: .seconds(8))
        let error = await failure(of: connecting)
        #expect(error?.code == .timedOut(.resolving))
        #expect(error?.message == "reading the services of 'Ball' took longer than 8 s")
        _ = try await scene.expect(.disconnect)
    }

    @Test func `under way end with disconnect`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let connecting = connect(ball)
        _ = try await scene.expect(.connect(ball.id))
        await ball.disconnect()
        #expect(await failure(of: connecting)?.code == .cancelled)
        #expect(await !ball.isConnected)
    }

    @Test func `under way end with a rejection, and with stop`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let first = connect(ball)
        _ = try await scene.expect(.connect(ball.id))
        await ball.rejectConnection(because: .refused)
        #expect(await failure(of: first)?.code == .rejected(.refused))
        let second = connect(ball)
        _ = try await scene.expect(.connect(ball.id))
        await scene.central.stop()
        #expect(await failure(of: second)?.code == .stopped)
        #expect(await failure(of: connect(ball))?.code == .stopped)
    }

    @Test func `are not ended to make room for another ball`() async throws {
        let scene = try await AskingScene()
        _ = try await connected("Red", in: scene)
        let blue = try await scene.discover("Blue")
        let connecting = connect(blue)
        let full = RadioError(.limitReached, "no more links")
        try await scene.expect(.connect(blue.id)).fail(full)
        #expect(await failure(of: connecting)?.code == .radioBusy)
    }

    @Test func `take the place of an idle one`() async throws {
        let scene = try await AskingScene()
        let red = try await scene.discover("Red")
        let asking = scene.ask("Well?", of: red)
        try await scene.expect(.connect(red.id)).succeed()
        await scene.hear("connected Red")
        try await scene.expect(.subscribe).fail(RadioError(.failed, "no"))
        await #expect(throws: EightBallError.self) { try await asking.value }
        await scene.hear("failed Red Well? failed")
        let blue = try await scene.discover("Blue")
        let connecting = connect(blue)
        let full = RadioError(.limitReached, "no more links")
        try await scene.expect(.connect(blue.id)).fail(full)
        _ = try await scene.expect(.disconnect)
        await scene.radio.say(.disconnected(nil), from: "Red")
        await scene.hear("disconnected Red")
        try await scene.expect(.connect(blue.id)).succeed()
        await scene.hear("connected Blue")
        try await connecting.value
    }

    @Test func `are made again by the next question, and held then`() async throws {
        let scene = try await AskingScene()
        let ball = try await connected("Ball", in: scene)
        await scene.radio.say(.disconnected(RadioError(.peerGone, "gone")), from: "Ball")
        await scene.hear("disconnected Ball: deviceOffline")
        let asking = scene.ask("Well?", of: ball)
        try await scene.reachWrite(of: "Well?").succeed()
        await scene.hear("asked Ball Well?")
        await scene.notify("Yes.")
        await scene.hear("answered Ball Well? Yes.")
        _ = try await asking.value
        try await scene.expect(.unsubscribe).succeed()
        await scene.clock.advance(by: .seconds(400))
        try await ask(ball, in: scene)
    }

    @Test func `are not made to a ball that is lost`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        await scene.radio.report(.lost(ball.id))
        await scene.hear("lost Ball")
        #expect(await failure(of: connect(ball))?.code == .deviceOffline)
        await ball.disconnect()
    }

    @Test func `keep a ball that the radio has forgotten, as long as they last`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let connecting = connect(ball)
        let request = try await scene.expect(.connect(ball.id))
        await scene.radio.report(.lost(ball.id))
        request.succeed()
        await scene.hear("connected Ball")
        try await connecting.value
        await ball.disconnect()
        _ = try await scene.expect(.disconnect)
        await scene.hear("disconnected Ball")
        await scene.hear("lost Ball")
    }
}
