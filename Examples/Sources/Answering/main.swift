import BlueZ
import MagicEightBall

/// Prints who is answered what.
final class Reporter: PeripheralObserver {
    func peripheral(
        _ peripheral: any Peripheral,
        didSend answer: Answer,
        to question: Question,
        of device: any CentralDevice
    ) async {
        print("\(device.id) was told: \(answer)")
    }
}

// A ball that says yes to long questions; it runs until the radio is closed for good, or Ctrl-C.
let radio = try await Adapter.open("hci1")
let ball = EightBallPeripheral(
    radio: radio,
    name: "Example Ball",
    answers: AnswerSource { question, _ in
        Answer(question.text.count > 12 ? .yes : .veryDoubtful)
    }
)
let reporter = Reporter()
await ball.addObserver(reporter)
try await ball.start()
for await state in await radio.states() { print("The radio is \(state).") }
