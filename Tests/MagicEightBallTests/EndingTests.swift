import BLE
import BLETesting
import MagicEightBall
import Testing

/// Questions that come to nothing, and what they leave behind: nothing.
@Suite(.timeLimit(.minutes(10)))
struct EndingTests {
    @Test("Connecting has its own limit")
    func connectionTimeout() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        _ = try await scene.expect(.connect(ball.id))
        await scene.clock.waitForSleeper(for: .seconds(7))
        await scene.clock.advance(by: .seconds(7))
        #expect(await scene.failure(of: asking)?.code == .timedOut(.connecting))
        await scene.hear("failed Ball Well? timedOut connecting")
        #expect(await !ball.isConnected)
    }

    @Test("The limit of the answer runs over subscribing, asking and answering")
    func answerTimeout() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        try await scene.expect(.connect(ball.id)).succeed()
        let subscription = try await scene.expect(.subscribe)
        await scene.clock.waitForSleeper(for: .seconds(2))
        await scene.clock.advance(by: .seconds(1))
        subscription.succeed()
        try await scene.expect(.write(Array("Well?".utf8))).succeed()
        await scene.hear("connected Ball")
        await scene.hear("asked Ball Well?")
        await scene.clock.advance(by: .seconds(1))
        let error = await scene.failure(of: asking)
        #expect(error?.code == .timedOut(.answering))
        #expect("\(try #require(error))".contains("asking 'Ball'"))
        try await scene.expect(.unsubscribe).succeed()
    }

    @Test("A ball that does not even take the subscription back is disconnected")
    func cleanupTimeout() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        try await scene.reachWrite(of: "Well?").succeed()
        await scene.hear("asked Ball Well?")
        await scene.notify("Yes.")
        _ = try await asking.value
        _ = try await scene.expect(.unsubscribe)
        await scene.hear("answered Ball Well? Yes.")
        await scene.clock.waitForSleeper(for: .seconds(2))
        await scene.clock.advance(by: .seconds(2))
        _ = try await scene.expect(.disconnect)
        await scene.hear("disconnected Ball")
    }

    @Test("A cancelled question ends at once, and the subscription is taken back")
    func cancelled() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        _ = try await scene.reachWrite(of: "Well?")
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        await scene.hear("failed Ball Well? cancelled")
        try await scene.expect(.unsubscribe).succeed()
        #expect(await ball.isConnected)
    }

    @Test("A question cancelled while connecting makes no link")
    func cancelledWhileConnecting() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        let connection = try await scene.expect(.connect(ball.id))
        asking.cancel()
        await #expect(throws: CancellationError.self) { try await asking.value }
        connection.succeed()
        await scene.hear("failed Ball Well? cancelled")
        #expect(await !ball.isConnected)
    }

    @Test("While the last question is cleared up, one question waits and others are refused")
    func waiting() async throws {
        let scene = try await AskingScene(maximumQuestionCount: 1)
        let ball = try await scene.discover()
        let first = scene.ask("First?", of: ball)
        try await scene.reachWrite(of: "First?").succeed()
        await scene.hear("asked Ball First?")
        await scene.notify("Yes.")
        _ = try await first.value
        await scene.hear("answered Ball First? Yes.")
        let unsubscription = try await scene.expect(.unsubscribe)

        await ball.sendQuestion(try Question("Second?"))
        let third = scene.ask("Third?", of: ball)
        #expect(await scene.failure(of: third)?.code == .rejected(.deviceBusy))
        await scene.hear("failed Ball Third? rejected deviceBusy")
        await scene.central.stop()
        await scene.hear("failed Ball Second? stopped")
        unsubscription.succeed()
        await scene.hear("disconnected Ball")
    }

    @Test("A question that waits for the clearing up of the last one can be cancelled")
    func cancelledWhileWaiting() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        await ball.sendQuestion(try Question("First?"))
        try await scene.reachWrite(of: "First?").succeed()
        await scene.hear("asked Ball First?")
        await scene.notify("Yes.")
        await scene.hear("answered Ball First? Yes.")
        let unsubscription = try await scene.expect(.unsubscribe)

        let second = scene.ask("Second?", of: ball)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        unsubscription.succeed()
        await ball.sendQuestion(try Question("Third?"))
        try await scene.expect(.subscribe).succeed()
        _ = try await scene.expect(.write(Array("Third?".utf8)))
    }

    @Test("The loss of the link ends the question, and the next one connects anew")
    func linkLost() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        _ = try await scene.reachWrite(of: "Well?")
        await scene.radio.say(.disconnected(RadioError(.peerGone, "gone")), from: "Ball")
        #expect(await scene.failure(of: asking)?.code == .deviceOffline)
        await scene.hear("disconnected Ball: deviceOffline")
        await scene.hear("failed Ball Well? deviceOffline")
        #expect(await !ball.isConnected)

        let again = scene.ask("Again?", of: ball)
        try await scene.reachWrite(of: "Again?").succeed()
        await scene.hear("asked Ball Again?")
        await scene.notify("Yes.")
        #expect(try await again.value.stock == .yes)
    }

    @Test("A ball that takes its service back is offline, and disconnected")
    func invalidated() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        try await scene.reachWrite(of: "Well?").succeed()
        await scene.hear("asked Ball Well?")
        await scene.radio.say(.servicesInvalidated(["180F"]), from: "Ball")
        await scene.radio.say(
            .servicesInvalidated(["8E38140A-27BE-4090-8955-4FC4B5698D1E"]),
            from: "Ball"
        )
        #expect(await scene.failure(of: asking)?.code == .deviceOffline)
        await scene.hear("disconnected Ball: deviceOffline")
        await scene.hear("failed Ball Well? deviceOffline")
        _ = try await scene.expect(.disconnect)
    }

    /// A ball is asked, answers, and its link is kept.
    private func answer(_ ball: any BallDevice, in scene: AskingScene) async throws {
        let asking = scene.ask("Well?", of: ball)
        try await scene.reachWrite(of: "Well?").succeed()
        await scene.hear("asked Ball Well?")
        await scene.notify("Yes.")
        _ = try await asking.value
        await scene.hear("answered Ball Well? Yes.")
        try await scene.expect(.unsubscribe).succeed()
    }

    @Test("A ball that takes its service back between two questions is reported as offline")
    func invalidatedBetweenQuestions() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        try await answer(ball, in: scene)
        #expect(await scene.central.error == nil)
        await scene.radio.say(
            .servicesInvalidated(["8E38140A-27BE-4090-8955-4FC4B5698D1E"]),
            from: "Ball"
        )
        await scene.hear("disconnected Ball: deviceOffline")
        await scene.hear("failed deviceOffline")
        _ = try await scene.expect(.disconnect)
        #expect(await scene.central.error?.code == .deviceOffline)
        #expect(await ball.error?.code == .deviceOffline)
    }

    @Test("The loss of a link is the central's last error, also between two questions")
    func linkLostBetweenQuestions() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        try await answer(ball, in: scene)
        await scene.radio.say(.disconnected(RadioError(.peerGone, "gone")), from: "Ball")
        await scene.hear("disconnected Ball: deviceOffline")
        let error = try #require(await scene.central.error)
        #expect(error.code == .deviceOffline)
        #expect(error.message == "the link to 'Ball' was lost")
        #expect(await ball.error?.message == error.message)
    }

    @Test("stop ends questions and links, and hears of nothing more")
    func stop() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        try await scene.reachWrite(of: "Well?").succeed()
        await scene.hear("asked Ball Well?")
        await scene.central.stop()
        #expect(await scene.failure(of: asking)?.code == .stopped)
        await scene.hear("failed Ball Well? stopped")
        await scene.hear("disconnected Ball")
        #expect(await scene.central.devices.isEmpty)
        #expect(await scene.failure(of: scene.ask("Well?", of: ball))?.code == .stopped)
    }

    @Test("A rejected ball's question and link end with the reason")
    func rejectConnection() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        _ = try await scene.reachWrite(of: "Well?")
        await ball.rejectConnection(because: .refused)
        #expect(await scene.failure(of: asking)?.code == .rejected(.refused))
        await scene.hear("failed Ball Well? rejected refused")
        await scene.hear("disconnected Ball: rejected")
        _ = try await scene.expect(.disconnect)
    }

    @Test(
        "What the radio says while connecting becomes the game's error",
        arguments: [
            (.off, .radioOff), (.absent, .radioAbsent), (.noService, .noService),
            (.notPermitted, .notPermitted), (.peerGone, .deviceOffline),
            (.unknownPeer, .deviceOffline), (.connectionFailed, .deviceOffline),
            (.servicesInvalidated, .deviceOffline), (.missingAttribute, .deviceOffline),
            (.busy, .radioBusy), (.limitReached, .radioBusy), (.timedOut, .timedOut(.connecting)),
            (.valueTooLong, .rejected(.tooLong)), (.invalidAdvertisement, .invalidName),
            (.overflow, .protocolViolation), (.withdrawn, .stopped), (.failed, .failed),
        ] as [(RadioError.Code, EightBallError.Code)]
    )
    func radioErrors(cause: RadioError.Code, code: EightBallError.Code) async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        try await scene.expect(.connect(ball.id)).fail(RadioError(cause, "it broke"))
        let error = await scene.failure(of: asking)
        #expect(error?.code == code)
        #expect(error?.message == "connecting to 'Ball' failed: it broke")
        #expect((error?.underlying as? RadioError)?.code == cause)
    }
}
