import BLE
import BLETesting
import MagicEightBall
import Testing

/// Several questions to one ball.
@Suite(.timeLimit(.minutes(10)))
struct QueueTests {
    /// A ball that has been asked "First?", and has accepted it.
    private func begin(
        _ scene: AskingScene
    ) async throws -> (ball: any BallDevice, first: Task<Answer, any Error>) {
        let ball = try await scene.discover()
        let first = scene.ask("First?", of: ball)
        try await scene.reachWrite(of: "First?").succeed()
        await scene.hear("asked Ball First?")
        return (ball, first)
    }

    /// Plays the next question on the link that there is.
    private func answer(_ question: String, _ answer: String, in scene: AskingScene) async throws {
        try await scene.expect(.subscribe).succeed()
        try await scene.expect(.write(Array(question.utf8))).succeed()
        await scene.hear("asked Ball \(question)")
        await scene.notify(answer)
        await scene.hear("answered Ball \(question) \(answer)")
        try await scene.expect(.unsubscribe).succeed()
    }

    @Test("Questions are sent one after the other, in the order of the calls")
    func order() async throws {
        let scene = try await AskingScene()
        let (ball, first) = try await begin(scene)
        for text in ["Second?", "Third?"] { await ball.sendQuestion(try Question(text)) }
        await scene.notify("One.")
        await scene.hear("answered Ball First? One.")
        #expect(try await first.value.text == "One.")
        try await scene.expect(.unsubscribe).succeed()
        try await answer("Second?", "Two.", in: scene)
        try await answer("Third?", "Three.", in: scene)
    }

    @Test("Two questions of the same words are two questions")
    func twins() async throws {
        let scene = try await AskingScene()
        let (ball, first) = try await begin(scene)
        await ball.sendQuestion(try Question("First?"))
        await scene.notify("One.")
        await scene.hear("answered Ball First? One.")
        #expect(try await first.value.text == "One.")
        try await scene.expect(.unsubscribe).succeed()
        try await answer("First?", "Two.", in: scene)
    }

    @Test("A question that waits can be taken back, and those behind it go on")
    func cancelled() async throws {
        let scene = try await AskingScene()
        let (ball, _) = try await begin(scene)
        let second = scene.ask("Second?", of: ball)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        await ball.sendQuestion(try Question("Third?"))
        await scene.notify("One.")
        try await scene.expect(.unsubscribe).succeed()
        try await scene.expect(.subscribe).succeed()
        _ = try await scene.expect(.write(Array("Third?".utf8)))
    }

    @Test("The answer to a question that was taken back is no answer to the next one")
    func lateAnswer() async throws {
        let scene = try await AskingScene()
        let (ball, first) = try await begin(scene)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        await scene.hear("failed Ball First? cancelled")
        let second = scene.ask("Second?", of: ball)
        await scene.notify("One.")
        try await scene.expect(.unsubscribe).succeed()
        try await answer("Second?", "Two.", in: scene)
        #expect(try await second.value.text == "Two.")
    }

    @Test("As many questions as are allowed may be unfinished; one more is refused")
    func bound() async throws {
        let scene = try await AskingScene(maximumQuestionCount: 3)
        let (ball, _) = try await begin(scene)
        await ball.sendQuestion(try Question("Second?"))
        await ball.sendQuestion(try Question("Third?"))
        let error = await scene.failure(of: scene.ask("Fourth?", of: ball))
        #expect(error?.code == .rejected(.deviceBusy))
        #expect(try #require(error).message.contains("3 of at most 3"))
        await scene.hear("failed Ball Fourth? rejected deviceBusy")
        await scene.notify("One.")
        await scene.hear("answered Ball First? One.")
        await ball.sendQuestion(try Question("Fifth?"))
        try await scene.expect(.unsubscribe).succeed()
        for text in ["Second?", "Third?", "Fifth?"] {
            try await answer(text, "Yes.", in: scene)
        }
    }

    @Test("The time of a question counts from the call, also while it waits")
    func deadline() async throws {
        let scene = try await AskingScene(question: .seconds(1))
        let (ball, first) = try await begin(scene)
        let second = scene.ask("Second?", of: ball)
        await scene.clock.waitForSleeper(for: .seconds(1), count: 2)
        await scene.clock.advance(by: .seconds(1))
        let error = await scene.failure(of: second)
        #expect(error?.code == .timedOut(.queued))
        #expect(
            error?.message
                == "asking 'Ball', last waiting for the questions before it, took longer than "
                + "1 s"
        )
        #expect(await scene.failure(of: first)?.code == .timedOut(.answering))
        _ = try await scene.expect(.unsubscribe)
    }

    @Test("stop ends those that wait, too")
    func stop() async throws {
        let scene = try await AskingScene()
        let (ball, first) = try await begin(scene)
        let second = scene.ask("Second?", of: ball)
        await scene.clock.waitForSleeper(for: .seconds(90), count: 2)
        await scene.central.stop()
        #expect(await scene.failure(of: second)?.code == .stopped)
        #expect(await scene.failure(of: first)?.code == .stopped)
    }

    @Test("Rejecting a ball ends its questions and its link, and tells the reason of each")
    func reject() async throws {
        let scene = try await AskingScene()
        let (ball, first) = try await begin(scene)
        let second = scene.ask("Second?", of: ball)
        await scene.clock.waitForSleeper(for: .seconds(90), count: 2)
        await ball.rejectConnection(because: .refused.saying("Enough."))
        let reason = RejectionReason.refused.saying("Enough.")
        #expect(await scene.failure(of: first)?.code == .rejected(reason))
        #expect(await scene.failure(of: second)?.code == .rejected(reason))
        await scene.hear("failed Ball Second? rejected refused")
        await scene.hear("failed Ball First? rejected refused")
        await scene.hear("disconnected Ball: rejected")
        #expect(await !ball.isConnected)
        #expect(await ball.error?.code == .rejected(reason))
    }

    @Test("A ball that is busy is asked again only if that is wanted, after a pause")
    func busy() async throws {
        let scene = try await AskingScene(whenBusy: .retry(pause: .seconds(6)))
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        try await scene.reachWrite(of: "Well?").fail(ATTError(rawValue: 0x90))
        await scene.clock.waitForSleeper(for: .seconds(2) ... .seconds(9), count: 2)
        await scene.clock.advance(by: .milliseconds(1999))
        #expect(await ball.error == nil)
        await scene.clock.advance(by: .milliseconds(1))
        #expect(await scene.failure(of: asking)?.code == .rejected(.deviceBusy))
        await scene.hear("failed Ball Well? rejected deviceBusy")
        try await scene.expect(.unsubscribe).succeed()
    }
}
