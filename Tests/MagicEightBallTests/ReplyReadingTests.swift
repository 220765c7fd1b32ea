import BLE
import Testing

@testable import MagicEightBall

/// A read response carries one byte less than the MTU, so a longer reply takes several parts.
@Suite("A reply", .timeLimit(.minutes(10)))
struct ReplyReadingTests {
    private let tag = QuestionTag(1)

    /// A ball whose reply to a question has so many bytes.
    private func ball(replyByteCount count: Int) async throws -> AnsweringScene {
        let text = String(repeating: "w", count: count - 10)
        let scene = try await AnsweringScene(answers: .fixed(try Answer(text)))
        try await scene.radio.askPrivately("Well?", tag, from: "A", mtuBytes: 23)
        try await scene.expectReady(tag)
        await scene.hear("connected A")
        await scene.hear("question A Well?")
        await scene.hear("answer A Well? \(text)")
        return scene
    }

    /// Ends the link; what was not read by then is told to have failed.
    private func isRead(_ scene: AnsweringScene) async -> Bool {
        await scene.radio.say(.disconnected(PeerID(rawValue: "A")))
        let line = await scene.recorder.next()
        #expect(line?.hasPrefix("delivered A") == true || line?.hasPrefix("failed A") == true)
        return line?.hasPrefix("delivered A") == true
    }

    @Test(arguments: [(11, true), (21, true), (22, true), (23, false), (44, false)])
    func `is read with its first part when it fits`(count: Int, isRead: Bool) async throws {
        let scene = try await ball(replyByteCount: count)
        _ = try await scene.radio.readReply(by: "A", offset: 0, mtuBytes: 23)
        #expect(await self.isRead(scene) == isRead)
    }

    @Test(arguments: [(23, true), (44, true), (45, false)])
    func `is read with its second part when it fits`(count: Int, isRead: Bool) async throws {
        let scene = try await ball(replyByteCount: count)
        for offset in [0, 22] {
            _ = try await scene.radio.readReply(by: "A", offset: offset, mtuBytes: 23)
        }
        #expect(await self.isRead(scene) == isRead)
    }

    @Test func `is delivered once, though the last part that is asked for is empty`() async throws {
        let scene = try await ball(replyByteCount: 22)
        for offset in [0, 22] {
            _ = try await scene.radio.readReply(by: "A", offset: offset, mtuBytes: 23)
        }
        await scene.radio.say(.disconnected(PeerID(rawValue: "A")))
        await scene.hear("delivered A Well? \(String(repeating: "w", count: 12))")
        await scene.hear("disconnected A")
    }

    @Test func `that was read was sent, though the radio says that it was not`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await scene.radio.askPrivately("Well?", tag, from: "A")
        let asker = try #require(await scene.ball.devices.first)
        let sending = Task { try await asker.sendAnswer(Answer(.yes), to: Question("Well?")) }
        let notification = try await scene.expect(.ready(Reply.ready(tag).bytes))
        #expect(try await scene.reply(to: "A") != nil)
        notification.fail(RadioError(.noService, "bluetoothd has gone"))
        try await sending.value
        for line in [
            "connected A", "question A Well?", "answer A Well? Yes.", "delivered A Well? Yes.",
        ] {
            await scene.hear(line)
        }
        #expect(await asker.error == nil)
    }
}
