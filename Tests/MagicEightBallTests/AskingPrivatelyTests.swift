import BLE
import BLETesting
import MagicEightBall
import Testing

/// Questions to a ball that has the private pair.
@Suite(.timeLimit(.minutes(10)))
struct AskingPrivatelyTests {
    @Test("A question is subscribed, written with a tag, told as ready, and read")
    func happy() async throws {
        let scene = try await AskingScene()
        await scene.servePrivately()
        let ball = try await scene.discover()
        let answer = scene.ask("Will it rain?", of: ball)
        try await scene.expect(.connect(ball.id)).succeed()
        await scene.hear("connected Ball")
        let (write, tag) = try await scene.reachPrivateQuestion(of: "Will it rain?")
        write.succeed()
        await scene.hear("asked Ball Will it rain?")
        await scene.tellReply([0x01] + tag)
        try await scene.expect(.read).succeed(with: [0x02] + tag + [0x00] + Array("Yes.".utf8))
        await scene.hear("answered Ball Will it rain? Yes.")
        #expect(try await answer.value.stock == .yes)
        #expect(await ball.answer?.stock == .yes)
    }

    @Test("The next question has another tag, and what is late for the first is no answer to it")
    func lateAnswer() async throws {
        let scene = try await AskingScene()
        await scene.servePrivately()
        let ball = try await scene.discover()
        let first = scene.ask("First?", of: ball)
        try await scene.expect(.connect(ball.id)).succeed()
        await scene.hear("connected Ball")
        let (write, firstTag) = try await scene.reachPrivateQuestion(of: "First?")
        write.succeed()
        await scene.hear("asked Ball First?")
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        await scene.hear("failed Ball First? cancelled")

        let second = scene.ask("Second?", of: ball)
        let (secondWrite, tag) = try await scene.reachPrivateQuestion(of: "Second?")
        #expect(tag != firstTag)
        secondWrite.succeed()
        await scene.hear("asked Ball Second?")
        await scene.tellReply([0x01] + firstTag)
        await scene.tellReply([0x02] + firstTag + [0x00] + Array("One.".utf8))
        await scene.tellReply([0x01] + tag)
        // The ball has not noticed yet that the first one is of no interest.
        let early = try await scene.expect(.read)
        await scene.tellReply([0x01] + tag)
        early.succeed(with: [0x02] + firstTag + [0x00] + Array("One.".utf8))
        try await scene.expect(.read).succeed(with: [0x02] + tag + [0x00] + Array("Two.".utf8))
        #expect(try await second.value.text == "Two.")
    }

    @Test("A ball may refuse late, in its own words")
    func lateRefusal() async throws {
        let scene = try await AskingScene()
        await scene.servePrivately()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        try await scene.expect(.connect(ball.id)).succeed()
        let (write, tag) = try await scene.reachPrivateQuestion(of: "Well?")
        write.succeed()
        await scene.hear("connected Ball")
        await scene.hear("asked Ball Well?")
        await scene.tellReply([0x01] + tag)
        try await scene.expect(.read)
            .succeed(with: [0x02] + tag + [0x97] + Array("Not today.".utf8))
        await scene.hear("failed Ball Well? rejected refused")
        let error = await scene.failure(of: asking)
        #expect(error?.code.rejectionReason == .refused.saying("Not today."))
        #expect(try #require(error).message.hasSuffix("Not today."))
    }

    @Test("An accepted question may take longer than one on the plain pair")
    func patience() async throws {
        let scene = try await AskingScene()
        await scene.servePrivately()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        try await scene.expect(.connect(ball.id)).succeed()
        let (write, _) = try await scene.reachPrivateQuestion(of: "Well?")
        write.succeed()
        await scene.hear("connected Ball")
        await scene.hear("asked Ball Well?")
        await scene.clock.waitForSleeper(for: .seconds(14))
        await scene.clock.advance(by: .seconds(13))
        #expect(await ball.error == nil)
        await scene.clock.advance(by: .seconds(1))
        #expect(await scene.failure(of: asking)?.code == .timedOut(.answering))
        await scene.hear("failed Ball Well? timedOut answering")
    }

    @Test("A ball with half the pair is asked on the plain one")
    func halfAPair() async throws {
        let scene = try await AskingScene()
        let service = GATTService(
            uuid: "8E38140A-27BE-4090-8955-4FC4B5698D1E",
            characteristics: [
                GATTCharacteristic(
                    uuid: "544DCF2D-80B8-443D-8ECF-24148A54E30C",
                    properties: .write
                )
            ]
        )
        await scene.radio.setServices([service])
        let ball = try await scene.discover()
        await ball.sendQuestion(try Question("Well?"))
        _ = try await scene.reachWrite(of: "Well?")
    }

    @Test("Reading the services has its own limit")
    func resolutionTimeout() async throws {
        let scene = try await AskingScene()
        await scene.radio.resolveSlowly()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        try await scene.expect(.connect(ball.id)).succeed()
        _ = try await scene.expect(.resolve)
        await scene.clock.waitForSleeper(for: .seconds(8))
        await scene.clock.advance(by: .seconds(8))
        #expect(await scene.failure(of: asking)?.code == .timedOut(.resolving))
    }
}
