import BLE
import BLETesting
import MagicEightBall
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AskingTests {
    @Test("A question is subscribed, written, answered and unsubscribed, in this order")
    func happy() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let answer = scene.ask("Will it rain?", of: ball)

        try await scene.reachWrite(of: "Will it rain?").succeed()
        await scene.hear("asked Ball Will it rain?")
        await scene.notify("SLUG-ANSWER-03")
        await scene.hear("answered Ball Will it rain? Yes – definitely.")
        #expect(try await answer.value.stock == .yesDefinitely)
        try await scene.expect(.unsubscribe).succeed()

        #expect(await ball.question?.text == "Will it rain?")
        #expect(await ball.answer?.text == "Yes – definitely.")
        #expect(await ball.error == nil)
        #expect(await ball.isConnected)
    }

    @Test("An answer before the reply to the write counts when no other comes soon after")
    func answerFirst() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let answer = scene.ask("Now?", of: ball)

        let write = try await scene.reachWrite(of: "Now?")
        await scene.notify("Yes.")
        await scene.clock.advance(by: .milliseconds(400))
        write.succeed()
        await scene.hear("asked Ball Now?")
        // Four times what the ball took for its reply.
        await scene.clock.waitForSleeper(for: .milliseconds(1600))
        await scene.clock.advance(by: .milliseconds(1600))
        await scene.hear("answered Ball Now? Yes.")
        #expect(try await answer.value == Answer(.yes))
    }

    @Test("The second question uses the link of the first, and waits for its clearing up")
    func twice() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let first = scene.ask("First?", of: ball)
        try await scene.reachWrite(of: "First?").succeed()
        await scene.hear("asked Ball First?")
        await scene.notify("One.")
        await scene.hear("answered Ball First? One.")
        #expect(try await first.value.text == "One.")

        let second = scene.ask("Second?", of: ball)
        try await scene.expect(.unsubscribe).succeed()
        try await scene.expect(.subscribe).succeed()
        try await scene.expect(.write(Array("Second?".utf8))).succeed()
        await scene.hear("asked Ball Second?")
        await scene.notify("Two.")
        #expect(try await second.value.text == "Two.")
    }

    @Test("Two balls can be asked at once, and each answer goes to its question")
    func twoBalls() async throws {
        let scene = try await AskingScene()
        let red = try await scene.discover("Red")
        let blue = try await scene.discover("Blue")
        let redAnswer = scene.ask("Red?", of: red)
        try await scene.reachWrite(of: "Red?", to: "Red").succeed()
        await scene.hear("asked Red Red?")
        let blueAnswer = scene.ask("Blue?", of: blue)
        try await scene.reachWrite(of: "Blue?", to: "Blue").succeed()
        await scene.hear("asked Blue Blue?")

        await scene.notify("I am blue.", from: "Blue")
        await scene.hear("answered Blue Blue? I am blue.")
        await scene.notify("I am red.", from: "Red")
        await scene.hear("answered Red Red? I am red.")
        #expect(try await redAnswer.value.text == "I am red.")
        #expect(try await blueAnswer.value.text == "I am blue.")
    }

    @Test("A question beyond the limit is refused as busy, and never sent")
    func busy() async throws {
        let scene = try await AskingScene(maximumQuestionCount: 1)
        let ball = try await scene.discover()
        let first = scene.ask("First?", of: ball)
        let write = try await scene.reachWrite(of: "First?")

        let error = await scene.failure(of: scene.ask("Second?", of: ball))
        #expect(error?.code == .rejected(.deviceBusy))
        #expect(error?.underlying == nil)
        await scene.hear("failed Ball Second? rejected deviceBusy")

        write.succeed()
        await scene.hear("asked Ball First?")
        await scene.notify("Yes.")
        #expect(try await first.value.stock == .yes)
    }

    @Test("sendQuestion returns at once, and observers hear the rest")
    func sendQuestion() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        await ball.sendQuestion(try Question("Well?"))
        try await scene.reachWrite(of: "Well?").succeed()
        await scene.hear("asked Ball Well?")
        await scene.notify("No idea.")
        await scene.hear("answered Ball Well? No idea.")
    }

    @Test(
        "A ball's refusal ends the question with its reason",
        arguments: [
            (0x0E, .questionPlease), (0x90, .deviceBusy), (0x92, .tooLong),
            (0x80, .peripheralError), (0x9A, .unknown(0x9A)),
        ] as [(UInt8, RejectionReason)]
    )
    func refused(code: UInt8, reason: RejectionReason) async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let answer = scene.ask("It rains", of: ball)
        try await scene.reachWrite(of: "It rains").fail(ATTError(rawValue: code))
        await scene.hear("failed Ball It rains rejected \(reason.name)")
        let error = await scene.failure(of: answer)
        #expect(error?.code == .rejected(reason))
        #expect(error?.underlying is ATTError)
        #expect(await ball.error?.code == .rejected(reason))
        #expect(await scene.central.error?.code == .rejected(reason))
        try await scene.expect(.unsubscribe).succeed()
    }

    @Test(
        "An answer that is no text breaks the rules",
        arguments: [[], [0xFF, 0xFE]] as [[UInt8]]
    )
    func badAnswer(value: [UInt8]) async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let answer = scene.ask("Well?", of: ball)
        try await scene.reachWrite(of: "Well?").succeed()
        await scene.hear("asked Ball Well?")
        await scene.notify(value)
        let error = await scene.failure(of: answer)
        #expect(error?.code == .protocolViolation)
        try await scene.expect(.unsubscribe).succeed()
    }

    @Test("A question that one write request cannot carry is not sent")
    func tooLong() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        await scene.radio.setMTU(23)
        let answer = scene.ask("A question of 20 b.?", of: ball)
        try await scene.expect(.connect(ball.id)).succeed()
        try await scene.expect(.subscribe).fail(ATTError.insufficientAuthorization)
        let refused = await scene.failure(of: answer)
        #expect(refused?.code == .rejected(.unknown(0x08)))

        let error = await scene.failure(of: scene.ask("A question of 21 by.?", of: ball))
        #expect(error?.code == .rejected(.tooLong))
    }

    @Test("A ball that is not known cannot be asked")
    func unknown() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        await scene.radio.report(.lost(ball.id))
        await scene.hear("lost Ball")
        let error = await scene.failure(of: scene.ask("Well?", of: ball))
        #expect(error?.code == .deviceOffline)
        #expect(await ball.rssi == nil)
    }
}
