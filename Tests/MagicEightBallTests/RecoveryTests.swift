import BLE
import BLETesting
import Testing

@testable import MagicEightBall

/// The system's Bluetooth service goes, and comes back, while both SDKs are in use.
@Suite(.timeLimit(.minutes(10)))
struct RecoveryTests {
    private static let loss = RadioError(.noService, "bluetoothd has gone")

    @Test("All that is asked fails at once with the cause; afterwards the ball answers again")
    func central() async throws {
        let scene = try await AskingScene()
        let answering = try await scene.discover("Answering")
        let connecting = try await scene.discover("Connecting")
        let answered = scene.ask("Late?", of: answering)
        try await scene.reachWrite(of: "Late?", to: "Answering").succeed()
        await scene.hear("asked Answering Late?")
        let linking = scene.ask("Well?", of: connecting)
        let connection = try await scene.expect(.connect(connecting.id))
        let seeking = Task { try await scene.central.discoverDevice { $0.name == "Nobody" } }
        await scene.clock.waitForSleeper(for: AskingScene.timeouts.discovery)

        // No time passes: nobody waits for a limit.
        await scene.radio.say(.disconnected(Self.loss), from: "Answering")
        let lost = await scene.failure(of: answered)
        #expect((lost?.underlying as? RadioError)?.code == .noService)
        connection.fail(Self.loss)
        #expect(await scene.failure(of: linking)?.code == .noService)
        await scene.radio.become(.absent)
        let unfound = await #expect(throws: EightBallError.self) { try await seeking.value }
        #expect(unfound?.code == .noService)
        var heard: Set<String> = []
        for _ in 1...7 { heard.insert(try #require(await scene.recorder.next())) }
        #expect(
            heard == [
                "disconnected Answering: deviceOffline", "failed Answering Late? deviceOffline",
                "failed Connecting Well? noService", "radio absent", "failed noService",
                "lost Answering", "lost Connecting",
            ]
        )
        #expect(await scene.central.devices.isEmpty)

        // The app does nothing.
        await scene.clock.waitForSleeper(for: AskingScene.timeouts.retry)
        await scene.clock.advance(by: AskingScene.timeouts.retry)
        await scene.radio.become(.on)
        await scene.hear("radio on")
        #expect(await scene.radio.scansBegun.next() == 1)
        #expect(await scene.radio.scansBegun.next() == 2)
        let ball = try await scene.discover("Answering")
        let again = scene.ask("Again?", of: ball)
        try await scene.reachWrite(of: "Again?", to: "Answering").succeed()
        await scene.hear("asked Answering Again?")
        await scene.notify("Yes.", from: "Answering")
        #expect(try await again.value.text == "Yes.")
    }

    @Test("All that was asked is told as failed; afterwards the ball is shown, and answers again")
    func peripheral() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        let tag = QuestionTag(1)
        try await scene.radio.askPrivately("Private?", tag, from: "A")
        try await scene.radio.write("Plain?", from: "B")
        for line in [
            "connected A", "question A Private?", "connected B", "question B Plain?",
            "queued B Plain? 1",
        ] {
            await scene.hear(line)
        }

        // No time passes: nobody waits for a limit.
        await scene.radio.become(.absent)
        await scene.hear("radio absent")
        await scene.radio.say(.ended(Self.loss))
        for line in [
            "failed A Private? noService", "disconnected A", "failed B Plain? noService",
            "disconnected B", "not advertising: noService", "failed noService",
        ] {
            await scene.hear(line)
        }
        #expect(await !scene.ball.isAdvertising)

        // The owner does nothing.
        await scene.clock.waitForSleeper(for: AnsweringScene.timeouts.retry)
        await scene.clock.advance(by: AnsweringScene.timeouts.retry)
        await scene.radio.become(.on)
        try await scene.expect(.publish("Ball")).succeed()
        var heard: Set<String> = []
        for _ in 1...2 { heard.insert(try #require(await scene.recorder.next())) }
        #expect(heard == ["radio on", "advertising"])
        try await scene.radio.askPrivately("Again?", tag, from: "A")
        await scene.hear("connected A")
        await scene.hear("question A Again?")
        let asker = try #require(await scene.ball.devices.first)
        async let sent: Void = asker.sendAnswer(Answer(.yes), to: Question("Again?"))
        try await scene.expectReady(tag)
        try await sent
        await scene.hear("answer A Again? Yes.")
        let answer = Array(Answer(.yes).wireText.utf8)
        #expect(try await scene.reply(to: "A") == .outcome(tag, .answered(answer)))
        await scene.hear("delivered A Again? Yes.")
    }

    @Test("What is told of an earlier publication does not end the present one")
    func lateEnd() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        let earlier = try #require(await scene.radio.responder)
        async let stopped: Void = scene.ball.stop()
        try await scene.expect(.withdraw).succeed()
        await stopped
        await scene.hear("not advertising")
        async let started: Void = scene.ball.start()
        let publication = try await scene.expect(.publish("Ball"))
        await earlier.handle(.ended(Self.loss))
        publication.succeed()
        try await started
        await scene.hear("advertising")

        await earlier.handle(.ended(Self.loss))
        await earlier.handle(.connected(PeerID(rawValue: "A")))
        let request = GATTRequest(central: PeerID(rawValue: "A"), mtuBytes: 517)
        await #expect(throws: RejectionReason.deviceOffline.attError) {
            try await earlier.write(
                Array("Well?".utf8),
                to: EightBallService.question,
                request
            )
        }
        let reply = EightBallService.reply
        #expect(try await earlier.read(reply, request).isEmpty)
        #expect(await scene.ball.isAdvertising)
        #expect(await scene.ball.devices.isEmpty)
    }

    @Test("A ball that is stopped while its answer is on its way measures no time any more")
    func stoppedWhileAnswering() async throws {
        let scene = try await AnsweringScene(answers: .fixed(Answer(.yes)))
        try await scene.radio.write("Well?", from: "A")
        let update = try await scene.expect(.update(Array(Answer(.yes).wireText.utf8)))
        async let stopped: Void = scene.ball.stop()
        try await scene.expect(.withdraw).succeed()
        update.fail(RadioError(.withdrawn, "the service was withdrawn"))
        await stopped
        // Not even for other askers that come after a new start.
        #expect(await scene.ball.lastAnswered == nil)
        #expect(await scene.ball.settling == nil)
    }

    @Test("An SDK that is started again tells that the radio is back")
    func startedAgain() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        await scene.radio.become(.off)
        await scene.hear("radio off")
        await scene.hear("not advertising: radioOff")
        await scene.hear("failed radioOff")
        async let stopped: Void = scene.ball.stop()
        try await scene.expect(.withdraw).succeed()
        await stopped
        await scene.radio.become(.on)
        async let started: Void = scene.ball.start()
        try await scene.expect(.publish("Ball")).succeed()
        try await started
        await scene.hear("advertising")
        await scene.hear("radio on")
    }
}
