import BLE
import Dispatch
import Testing

@testable import MagicEightBall

/// Questions that the program's own code is still looking at, elsewhere than on the radio's executor.
@Suite("A question that is being checked", .timeLimit(.minutes(10)))
struct CheckedQuestionTests {
    @Test func `is refused, and never told, when its asker has gone meanwhile`() async throws {
        let (checks, check) = AsyncStream.makeStream(of: Void.self)
        let release = DispatchSemaphore(value: 0)
        let scene = try await AnsweringScene(
            answers: AnswerSource.manual.refusing { _, _ in
                check.yield()
                release.wait()
                return nil
            }
        )
        async let refusal = scene.refusal(of: Array("Well?".utf8), from: "A")
        for await _ in checks { break }
        await scene.hear("connected A")
        await scene.radio.become(.off)
        for line in [
            "radio off", "disconnected A", "not advertising: radioOff", "failed radioOff",
        ] {
            await scene.hear(line)
        }
        release.signal()
        #expect(await refusal == RejectionReason.deviceOffline.attError)
        // Nothing was told of the question in between.
        await scene.radio.become(.on)
        await scene.hear("radio on")
        await scene.hear("advertising")
        #expect(await scene.ball.devices.isEmpty)
    }
}
