import BlueZ
import MagicEightBall

// A ball that says yes to long questions, and prints what happens; until the radio is closed for good,
// or Ctrl-C.
let ball = EightBallPeripheral(
    radio: try await Adapter.open("hci1"),
    name: "Example Ball",
    answers: AnswerSource { question, _ in
        Answer(question.text.count > 12 ? .yes : .veryDoubtful)
    }
)
let events = await ball.events
try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { for await event in events { print(event) } }
    try await ball.run()
    group.cancelAll()
}
