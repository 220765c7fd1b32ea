import BLE
import BLETesting
import Testing

@testable import MagicEightBall

@Suite("A ball that stops", .timeLimit(.minutes(10)))
struct StoppingTests {
    private let tag = QuestionTag(1)

    /// Moves the clock to the end of what is waited for so long.
    private func passTime(_ limit: Duration, _ scene: AnsweringScene) async {
        await scene.clock.waitForSleeper(for: limit)
        await scene.clock.advance(by: limit)
    }

    @Test func `first tells who waits for an answer that it is closing`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        async let stopped: Void = scene.ball.stop()
        try await scene.expectReady(tag)
        // It is still there, but takes no question.
        #expect(await scene.ball.isAdvertising)
        #expect(await scene.refusal(of: "And?", QuestionTag(2), from: "B")?.rawValue == 0x94)
        #expect(try await scene.refusal(of: "And?", from: "B")?.rawValue == 0x94)
        #expect(try await scene.reply(to: "A") == .outcome(tag, .rejected(.deviceOffline)))
        await scene.settle()
        try await scene.expect(.withdraw).succeed()
        await stopped
        for line in [
            "connected A", "question A Well?", "failed A Well? stopped", "connected B",
            "rejected B deviceOffline", "rejected B deviceOffline", "disconnected A",
            "disconnected B", "not advertising",
        ] {
            await scene.hear(line)
        }
        #expect(await scene.ball.error?.code == .stopped)
    }

    @Test func `waits for an answer to be read that is on its way`() async throws {
        let scene = try await AnsweringScene(answers: .fixed(Answer(.yes)))
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        try await scene.expectReady(tag)
        await scene.hear("connected A")
        await scene.hear("question A Well?")
        await scene.hear("answer A Well? Yes.")
        async let stopped: Void = scene.ball.stop()
        await scene.clock.waitForSleeper(for: AnsweringScene.timeouts.closing)
        #expect(try await scene.reply(to: "A") != nil)
        await scene.settle()
        try await scene.expect(.withdraw).succeed()
        await stopped
        await scene.hear("delivered A Well? Yes.")
    }

    @Test func `refuses what is being answered, and says so to who answers`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        let asker = try #require(await scene.ball.devices.first)
        let sending = Task { try await asker.sendAnswer(Answer(.yes), to: Question("Well?")) }
        _ = try await scene.expect(.ready(Reply.ready(tag).bytes))
        async let stopped: Void = scene.ball.stop()
        let error = await #expect(throws: EightBallError.self) { try await sending.value }
        #expect(error?.code == .deviceOffline)
        try await scene.expectReady(tag)
        #expect(try await scene.reply(to: "A") == .outcome(tag, .rejected(.deviceOffline)))
        await scene.settle()
        try await scene.expect(.withdraw).succeed()
        await stopped
    }

    @Test func `waits no longer than its limit for those that do not read`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        async let stopped: Void = scene.ball.stop()
        try await scene.expectReady(tag)
        await passTime(AnsweringScene.timeouts.closing, scene)
        await scene.settle()
        try await scene.expect(.withdraw).succeed()
        await stopped
    }

    @Test func `does not wait for those that have gone, nor on the plain pair`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.write("All?", from: "B")
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        async let stopped: Void = scene.ball.stop()
        try await scene.expectReady(tag)
        await scene.radio.say(.disconnected(PeerID(rawValue: "A")))
        await scene.settle()
        try await scene.expect(.withdraw).succeed()
        await stopped
    }

    @Test func `can answer first what it has accepted`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        let asker = try #require(await scene.ball.devices.first)
        async let stopped: Void = scene.ball.stop(finishing: .seconds(40))
        await scene.clock.waitForSleeper(for: .seconds(40))
        #expect(await scene.refusal(of: "And?", QuestionTag(2), from: "A")?.rawValue == 0x94)
        async let sent: Void = asker.sendAnswer(Answer(.yes), to: Question("Well?"))
        try await scene.expectReady(tag)
        try await sent
        let answer = Array(Answer(.yes).wireText.utf8)
        #expect(try await scene.reply(to: "A") == .outcome(tag, .answered(answer)))
        await scene.settle()
        try await scene.expect(.withdraw).succeed()
        await stopped
    }

    @Test(arguments: [false, true])
    func `tells at the limit, or when stopped again, that it is closing`(
        isStoppedAgain: Bool
    ) async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        async let stopped: Void = scene.ball.stop(finishing: .seconds(40))
        await scene.clock.waitForSleeper(for: .seconds(40))
        async let again: Void = isStoppedAgain ? scene.ball.stop() : ()
        if !isStoppedAgain { await scene.clock.advance(by: .seconds(40)) }
        try await scene.expectReady(tag)
        #expect(try await scene.reply(to: "A") == .outcome(tag, .rejected(.deviceOffline)))
        await scene.settle()
        try await scene.expect(.withdraw).succeed()
        await stopped
        await again
    }

    @Test func `has stopped once it is withdrawn, and is started again only then`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        async let stopped: Void = scene.ball.stop()
        let withdrawal = try await scene.expect(.withdraw)
        // So that another stop and a start wait.
        #expect(await !scene.ball.session.isStopped)
        async let started: Void = scene.ball.start()
        withdrawal.succeed()
        await stopped
        try await scene.expect(.publish("Ball")).succeed()
        try await started
        #expect(await scene.ball.isAdvertising)
    }

    @Test func `before it is shown has stopped once what was being shown is withdrawn`()
        async throws
    {
        let radio = ScriptedPeripheralRadio()
        let ball = EightBallPeripheral(radio: radio, name: "Ball", clock: ManualClock())
        let starting = Task { try await ball.start() }
        let publishing = try #require(await radio.requests.next())
        let stopping = Task { await ball.stop() }
        while await ball.session.number != nil { await Task.yield() }
        publishing.succeed()
        let withdrawal = try #require(await radio.requests.next())
        #expect(withdrawal.kind == .withdraw)
        // So that another stop and a start wait.
        #expect(await !ball.session.isStopped)
        withdrawal.succeed()
        await stopping.value
        let error = await #expect(throws: EightBallError.self) { try await starting.value }
        #expect(error?.code == .stopped)
    }

    @Test func `before it is shown waits for the radio no longer than its limit`() async throws {
        let radio = ScriptedPeripheralRadio()
        await radio.ignoreCancellation()
        let clock = ManualClock()
        let ball = EightBallPeripheral(radio: radio, name: "Ball", clock: clock)
        let starting = Task { try await ball.start() }
        let publishing = try #require(await radio.requests.next())
        let stopping = Task { await ball.stop() }
        await clock.waitForSleeper(for: Timeouts().radio, count: 2)
        await clock.advance(by: Timeouts().radio)
        await stopping.value
        publishing.succeed()
        try #require(await radio.requests.next()).succeed()
        await #expect(throws: EightBallError.self) { try await starting.value }
    }

    @Test func `can be started again as soon as it has closed`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        async let stopped: Void = scene.ball.stop()
        try await scene.expectReady(tag)
        async let started: Void = scene.ball.start()
        #expect(try await scene.reply(to: "A") != nil)
        await scene.settle()
        try await scene.expect(.withdraw).succeed()
        await stopped
        try await scene.expect(.publish("Ball")).succeed()
        try await started
        #expect(await scene.ball.isAdvertising)
    }
}
