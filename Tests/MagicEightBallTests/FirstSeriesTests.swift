import BLE
import BLETesting
import Testing

@testable import MagicEightBall

/// Apps of the original's first series write without a response, and subscribe after that.
@Suite("The original's first series", .timeLimit(.minutes(10)))
struct FirstSeriesTests {
    private static let earlyBall = GATTService(
        uuid: EightBallService.uuid,
        characteristics: [
            GATTCharacteristic(
                uuid: EightBallService.question.characteristic,
                properties: .writeWithoutResponse
            ),
            GATTCharacteristic(
                uuid: EightBallService.answer.characteristic,
                properties: [.read, .notify]
            ),
        ]
    )

    @Test func `has balls that are asked without a response`() async throws {
        let scene = try await AskingScene()
        await scene.radio.setServices([Self.earlyBall])
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        try await scene.expect(.connect(PeerID(rawValue: "Ball"))).succeed()
        await scene.hear("connected Ball")
        try await scene.expect(.subscribe).succeed()
        try await scene.expect(.command(Array("Well?".utf8))).succeed()
        await scene.hear("asked Ball Well?")
        await scene.notify("SLUG-ANSWER-08")
        #expect(try await asking.value.text == "Yes.")
        try await scene.expect(.unsubscribe).succeed()
    }

    @Test func `asks a ball that is told to serve it, and subscribes later`() async throws {
        let scene = try await AnsweringScene(
            answers: .fixed(Answer("Yes")),
            servesFirstSeries: true
        )
        let published = try #require(await scene.radio.published)
        #expect(published.options == .lostRefusals)
        #expect(
            published.services[EightBallService.question]?.properties
                == [.write, .writeWithoutResponse]
        )
        await scene.radio.say(.connected(PeerID(rawValue: "A")))
        try await scene.radio.write("Well?", from: "A")
        // The answer waits for who asked.
        await scene.clock.waitForSleeper(for: AnsweringScene.timeouts.answer)
        await scene.radio.say(.subscribed(EightBallService.answer, nil))
        try await scene.expectAnswer("Yes")
    }

    @Test func `that never subscribes gets no answer, and the ball says so`() async throws {
        let scene = try await AnsweringScene(
            answers: .fixed(Answer("Yes")),
            servesFirstSeries: true
        )
        await scene.radio.say(.connected(PeerID(rawValue: "A")))
        try await scene.radio.write("Well?", from: "A")
        for line in ["connected A", "question A Well?"] { await scene.hear(line) }
        await scene.clock.waitForSleeper(for: AnsweringScene.timeouts.answer)
        await scene.clock.advance(by: AnsweringScene.timeouts.answer)
        var line = await scene.recorder.next()
        while let heard = line, !heard.hasPrefix("failed") { line = await scene.recorder.next() }
        #expect(line?.hasPrefix("failed A Well?") == true)
    }

    @Test func `is not served by a ball that was not told to`() async throws {
        let scene = try await AnsweringScene(answers: .fixed(Answer("Yes")))
        let published = try #require(await scene.radio.published)
        #expect(published.options.isEmpty)
        #expect(published.services[EightBallService.question]?.properties == .write)
    }
}
