import BLE
import BLETesting
import MagicEightBall
import Testing

/// How long links are kept, and when they are given back.
@Suite(.timeLimit(.minutes(10)))
struct LinkKeepingTests {
    /// Asks a ball, and lets it answer.
    private func ask(_ name: String, in scene: AskingScene) async throws -> any BallDevice {
        let ball = try await scene.discover(name)
        await ball.sendQuestion(try Question("Well?"))
        try await scene.reachWrite(of: "Well?", to: name).succeed()
        await scene.hear("asked \(name) Well?")
        await scene.notify("Yes.", from: name)
        await scene.hear("answered \(name) Well? Yes.")
        try await scene.expect(.unsubscribe).succeed()
        return ball
    }

    @Test("A link that nobody has used for a while is ended")
    func idle() async throws {
        let scene = try await AskingScene()
        let ball = try await ask("Ball", in: scene)
        await scene.clock.waitForSleeper(for: .seconds(300))
        await scene.clock.advance(by: .seconds(300))
        _ = try await scene.expect(.disconnect)
        await scene.hear("disconnected Ball")
        #expect(await !ball.isConnected)
    }

    @Test("A question in time uses the link, and the time begins anew behind it")
    func warm() async throws {
        let scene = try await AskingScene()
        let ball = try await ask("Ball", in: scene)
        await scene.clock.waitForSleeper(for: .seconds(300))
        await scene.clock.advance(by: .seconds(299))
        await ball.sendQuestion(try Question("Again?"))
        try await scene.expect(.subscribe).succeed()
        try await scene.expect(.write(Array("Again?".utf8))).succeed()
        await scene.hear("asked Ball Again?")
        await scene.clock.advance(by: .seconds(1))
        await scene.notify("No.")
        await scene.hear("answered Ball Again? No.")
        try await scene.expect(.unsubscribe).succeed()
        await scene.clock.waitForSleeper(for: .seconds(300))
        #expect(await ball.isConnected)
        await scene.clock.advance(by: .seconds(300))
        _ = try await scene.expect(.disconnect)
    }

    @Test("A ball that was lost while connecting to it failed has its link kept when it is back")
    func forgotten() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let connecting = scene.connect(ball)
        let request = try await scene.expect(.connect(ball.id))
        await scene.radio.report(.lost(ball.id))
        _ = try await scene.discover("Other")
        request.fail(RadioError(.connectionFailed, "not there"))
        #expect(await scene.failure(of: connecting)?.code == .deviceOffline)
        await scene.hear("lost Ball")
        let again = try await ask("Ball", in: scene)
        await scene.becomeIdle(again)
        await again.sendQuestion(try Question("Again?"))
        _ = try await scene.expect(.subscribe)
    }

    @Test("When the controller has no more links, the one that is idle longest is given back")
    func limit() async throws {
        let scene = try await AskingScene()
        _ = try await ask("Red", in: scene)
        _ = try await ask("Green", in: scene)
        let blue = try await scene.discover("Blue")
        await blue.sendQuestion(try Question("Well?"))
        let full = RadioError(.limitReached, "no more links")
        try await scene.expect(.connect(blue.id)).fail(full)
        _ = try await scene.expect(.disconnect)
        await scene.radio.say(.disconnected(nil), from: "Red")
        await scene.hear("disconnected Red")
        try await scene.expect(.connect(blue.id)).fail(full)
        _ = try await scene.expect(.disconnect)
        await scene.radio.say(.disconnected(nil), from: "Green")
        await scene.hear("disconnected Green")
        try await scene.expect(.connect(blue.id)).fail(full)
        await scene.hear("failed Blue Well? radioBusy")
    }

    @Test("A question to a ball whose link is being given back connects anew")
    func askedWhileGivenBack() async throws {
        let scene = try await AskingScene()
        let red = try await ask("Red", in: scene)
        await scene.becomeIdle(red)
        let blue = try await scene.discover("Blue")
        await blue.sendQuestion(try Question("Well?"))
        let full = RadioError(.limitReached, "no more links")
        try await scene.expect(.connect(blue.id)).fail(full)
        _ = try await scene.expect(.disconnect)
        await red.sendQuestion(try Question("Again?"))
        await scene.radio.say(.disconnected(nil), from: "Red")
        await scene.hear("disconnected Red")
        let expected: [ScriptedRequest.Kind] = [.connect(red.id), .connect(blue.id)]
        for _ in 1...2 {
            let request = try #require(await scene.radio.requests.next())
            #expect(expected.contains(request.kind))
        }
    }

    @Test("A question that waits for a link to be given back can be taken back")
    func limitCancelled() async throws {
        let scene = try await AskingScene()
        _ = try await ask("Red", in: scene)
        let blue = try await scene.discover("Blue")
        let asking = scene.ask("Well?", of: blue)
        let full = RadioError(.limitReached, "no more links")
        try await scene.expect(.connect(blue.id)).fail(full)
        _ = try await scene.expect(.disconnect)
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        await scene.hear("failed Blue Well? cancelled")
    }

    @Test("A link that ends before anything was asked is made anew")
    func somebodysLink() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        try await scene.expect(.connect(ball.id)).succeed()
        await scene.hear("connected Ball")
        _ = try await scene.expect(.subscribe)
        await scene.radio.say(.disconnected(RadioError(.peerGone, "gone")), from: "Ball")
        await scene.hear("disconnected Ball: deviceOffline")
        try await scene.reachWrite(of: "Well?").succeed()
        await scene.hear("asked Ball Well?")
        await scene.notify("Yes.")
        #expect(try await asking.value.stock == .yes)
    }
}
