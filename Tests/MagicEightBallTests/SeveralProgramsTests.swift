import BLE
import BLETesting
import Testing

@testable import MagicEightBall

/// Programs on one host share one device, and a ball cannot tell who reads.
@Suite("Several programs on one host", .timeLimit(.minutes(10)))
struct SeveralProgramsTests {
    private func tag(_ number: Int) -> QuestionTag { QuestionTag(UInt64(number)) }

    private func answered(_ text: String, _ number: Int) -> Reply {
        .outcome(tag(number), .answered(Array(text.utf8)))
    }

    /// Asks for each number, and answers in that order; no reply is read.
    private func askAndAnswer(_ numbers: ClosedRange<Int>, _ scene: AnsweringScene) async throws {
        for number in numbers {
            try await scene.radio.askPrivately("\(number)?", tag(number), from: "A")
        }
        let asker = try #require(await scene.ball.devices.first)
        for number in numbers {
            async let sent: Void = asker.sendAnswer(
                Answer("to \(number)"),
                to: Question("\(number)?")
            )
            try await scene.expectReady(tag(number))
            try await sent
        }
    }

    @Test func `are all answered, and read their replies in turn, again and again`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await askAndAnswer(1...2, scene)
        #expect(try await scene.reply(to: "A") == answered("to 2", 2))
        // The first one was not read: its program is notified again.
        try await scene.expectReady(tag(1))
        #expect(try await scene.reply(to: "A") == answered("to 1", 1))
        #expect(try await scene.reply(to: "A") == answered("to 2", 2))
        #expect(try await scene.reply(to: "A") == answered("to 1", 1))
        for line in [
            "connected A", "question A 1?", "question A 2?", "queued A 2? 1", "answer A 1? to 1",
            "answer A 2? to 2", "delivered A 2? to 2", "delivered A 1? to 1",
        ] {
            await scene.hear(line)
        }
    }

    @Test func `that read once for each notification each get their own`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await askAndAnswer(1...8, scene)
        // All have been notified, and their reads were merged into one.
        #expect(try await scene.reply(to: "A") == answered("to 8", 8))
        for number in (1...7).reversed() {
            try await scene.expectReady(tag(number))
            #expect(try await scene.reply(to: "A") == answered("to \(number)", number))
        }
    }

    @Test func `whose answers come while others wait read the newest first`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await askAndAnswer(1...1, scene)
        // A program of before has given its question up, and reads once for the next one.
        try await scene.radio.askPrivately("2?", tag(2), from: "A")
        let asker = try #require(await scene.ball.devices.first)
        async let sent: Void = asker.sendAnswer(Answer("to 2"), to: Question("2?"))
        try await scene.expectReady(tag(2))
        try await sent
        #expect(try await scene.reply(to: "A") == answered("to 2", 2))
    }

    @Test func `may read each reply until its time is over`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        try await askAndAnswer(1...1, scene)
        #expect(try await scene.reply(to: "A") == answered("to 1", 1))
        await scene.clock.waitForSleeper(for: .seconds(50))
        await scene.clock.advance(by: .seconds(49))
        #expect(try await scene.reply(to: "A") == answered("to 1", 1))
        let limit = await scene.ball.work.values.first?.limit
        await scene.clock.advance(by: .seconds(1))
        await limit?.task?.value
        #expect(try await scene.reply(to: "A") == nil)
        #expect(await scene.ball.work.isEmpty)
    }

    @Test func `have eight questions at most: the oldest gives way, and is told so`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        for number in 1...9 {
            try await scene.radio.askPrivately("\(number)?", tag(number), from: "A")
        }
        try await scene.expectReady(tag(1))
        #expect(try await scene.reply(to: "A") == .outcome(tag(1), .rejected(.deviceBusy)))
        let asker = try #require(await scene.ball.devices.first)
        async let sent: Void = asker.sendAnswer(Answer("to 9"), to: Question("9?"))
        try await scene.expectReady(tag(9))
        try await sent
        #expect(try await scene.reply(to: "A") == answered("to 9", 9))
    }

    @Test func `have sixteen replies at most: the oldest is dropped, and told`() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        for first in [1, 9] { try await askAndAnswer(first...first + 7, scene) }
        try await askAndAnswer(17...17, scene)
        var lines: [String] = []
        while let line = await scene.recorder.next(), line != "failed A 1? cancelled" {
            lines.append(line)
        }
        #expect(!lines.contains { $0.hasPrefix("failed") })
        var read: [QuestionTag] = []
        for _ in 1...17 {
            guard let reply = try await scene.reply(to: "A") else { break }
            read.append(reply.tag)
            if read.count < 16 { try await scene.expectReady(tag(17 - read.count)) }
        }
        #expect(read == (2...17).reversed().map(tag) + [tag(17)])
    }
}
