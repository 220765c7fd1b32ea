import BLE
import MagicEightBall
import Testing

// The examples of the answering side's articles and documentation comments.

private protocol Library: Sendable {
    func look(up question: Question) async throws -> Answer
}

private protocol Owner: Sendable {
    var isAwake: Bool { get async }
}

private func balls(
    radio: any PeripheralRadio,
    library: any Library
) -> [EightBallPeripheral] {
    let many = EightBallPeripheral(radio: radio, name: "Oracle", waiting: 64, atOnce: 4)
    let limited = EightBallPeripheral(
        radio: radio,
        name: "Oracle",
        limit: QuestionLimit(count: 10, per: .seconds(60))
    )
    let thinker = EightBallPeripheral(
        radio: radio,
        name: "Thinker",
        answers: AnswerSource { question, _ in try await library.look(up: question) },
        timeouts: Timeouts(thinking: .seconds(300))
    )
    return [many, limited, thinker]
}

private func sleepy(_ owner: any Owner) -> AnswerSource {
    AnswerSource { question, _ in
        guard await owner.isAwake else { throw RejectionReason.refused.saying("try tomorrow") }
        return Answer(.yes)
    }
}

private let honest = AnswerSource.random.refusing { question, _ in
    question.text.contains("lottery") ? .refused : nil
}

private let echo = AnswerSource { question, asker in try Answer("\(asker.id) asks: \(question)") }

@Suite("Examples of answering", .timeLimit(.minutes(10)))
struct AnsweringExamples {
    private struct Sleeper: Owner {
        let isAwake = false
    }

    @Test("The lottery is refused at once")
    func lottery() async throws {
        let scene = try await AnsweringScene(answers: honest)
        #expect(try await scene.refusal(of: "Which lottery number?", from: "A")?.rawValue == 0x97)
        #expect(try await scene.refusal(of: "Will it rain?", from: "A") == nil)
    }

    @Test("An owner who sleeps refuses with words")
    func sleeps() async throws {
        let scene = try await AnsweringScene(answers: sleepy(Sleeper()))
        try await scene.radio.write("Well?", from: "A")
        await scene.hear("connected A")
        await scene.hear("question A Well?")
        await scene.hear("failed A Well? rejected refused")
        let asker = try #require(await scene.ball.devices.first)
        #expect(await asker.error?.code.rejectionReason?.text == "try tomorrow")
    }

    @Test("An echo knows who asks")
    func echoes() async throws {
        let scene = try await AnsweringScene(answers: echo)
        try await scene.radio.write("Well?", from: "A")
        try await scene.expectAnswer("A asks: Well?")
    }
}
