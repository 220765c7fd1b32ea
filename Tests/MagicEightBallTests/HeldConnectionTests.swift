import BLE
import BLETesting
import MagicEightBall
import Testing

/// Connections that are made before a question, and held.
@Suite(.timeLimit(.minutes(10)))
struct HeldConnectionTests {
    /// Connects a ball, and waits until it is.
    private func connected(_ name: String, in scene: AskingScene) async throws -> any BallDevice {
        let ball = try await scene.discover(name)
        let connecting = scene.connect(ball)
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
        await scene.becomeIdle(ball)
    }

    /// Connects Blue where there is room for one, up to the end of the idle connection to Red.
    private func connectBlueInPlaceOfRed(
        in scene: AskingScene
    ) async throws -> (red: any BallDevice, blue: any BallDevice, connecting: Task<Void, any Error>)
    {
        let red = try await scene.discover("Red")
        let asking = scene.ask("Well?", of: red)
        try await scene.expect(.connect(red.id)).succeed()
        await scene.hear("connected Red")
        try await scene.expect(.subscribe).fail(RadioError(.failed, "no"))
        await #expect(throws: EightBallError.self) { try await asking.value }
        await scene.hear("failed Red Well? failed")
        let blue = try await scene.discover("Blue")
        let connecting = scene.connect(blue)
        let full = RadioError(.limitReached, "no more links")
        try await scene.expect(.connect(blue.id)).fail(full)
        _ = try await scene.expect(.disconnect)
        return (red, blue, connecting)
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

    @Test func `are not ended to make room for another ball`() async throws {
        let scene = try await AskingScene()
        _ = try await connected("Red", in: scene)
        let blue = try await scene.discover("Blue")
        let connecting = scene.connect(blue)
        let full = RadioError(.limitReached, "no more links")
        try await scene.expect(.connect(blue.id)).fail(full)
        #expect(await scene.failure(of: connecting)?.code == .radioBusy)
    }

    @Test func `take the place of an idle one`() async throws {
        let scene = try await AskingScene()
        let (_, blue, connecting) = try await connectBlueInPlaceOfRed(in: scene)
        await scene.radio.say(.disconnected(nil), from: "Red")
        await scene.hear("disconnected Red")
        try await scene.expect(.connect(blue.id)).succeed()
        await scene.hear("connected Blue")
        try await connecting.value
    }

    @Test func `are made anew where an idle one is just giving its place to another ball`()
        async throws
    {
        let scene = try await AskingScene()
        let (red, blue, connecting) = try await connectBlueInPlaceOfRed(in: scene)
        let back = scene.connect(red)
        await scene.clock.waitForSleeper(for: .seconds(7), count: 2)
        await scene.radio.say(.disconnected(nil), from: "Red")
        await scene.hear("disconnected Red")
        let expected: [ScriptedRequest.Kind] = [.connect(red.id), .connect(blue.id)]
        for _ in 1...2 {
            let request = try #require(await scene.radio.requests.next())
            #expect(expected.contains(request.kind))
            request.succeed()
        }
        try await connecting.value
        try await back.value
        #expect(await red.isConnected)
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
        await scene.becomeIdle(ball)
        await scene.clock.advance(by: .seconds(400))
        try await ask(ball, in: scene)
    }

    @Test func `to several balls are ended at once by stop, for which each call waits`()
        async throws
    {
        let clock = ManualClock()
        let air = MemoryAir(clock: clock)
        let phone = await air.radio("Phone")
        let central = EightBallCentral(radio: phone, timeouts: MemoryRadioTests.timeouts)
        try await central.start()
        var balls: [EightBallPeripheral] = []
        for name in ["Red", "Green"] {
            let ball = EightBallPeripheral(radio: await air.radio(name), name: name)
            try await ball.start()
            balls.append(ball)
            try await central.discoverDevice { $0.name == name }.connect()
        }
        await phone.simulateDisconnecting(takes: .seconds(2))
        let start = clock.now
        let stopping = Task { await central.stop() }
        await clock.waitForSleeper(for: .seconds(2), count: 2)
        let again = Task {
            await central.stop()
            return start.duration(to: clock.now)
        }
        // It has its turns, and would return if it did not wait.
        for _ in 0..<10 { #expect(await central.devices.isEmpty) }
        await clock.advance(by: .seconds(2))
        await stopping.value
        #expect(await again.value == .seconds(2))
        for ball in balls { await ball.stop() }
    }

    @Test func `keep a ball that the radio has forgotten, as long as they last`() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let connecting = scene.connect(ball)
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
