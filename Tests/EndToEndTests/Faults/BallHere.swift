import BLE
import BLEDBus
import BlueZ
import MagicEightBall

/// A ball of the SDK in this process.
final class BallHere: RecordedBall, PeripheralObserver {
    let told = Chronicle()
    private let radio: Adapter
    private let ball: EightBallPeripheral
    private let opening: AsyncStream<Never>.Continuation

    /// Shows itself on hci1, which it follows under another name.
    init(in world: any World, _ timeouts: Timeouts) async throws {
        let (gate, opening) = AsyncStream.makeStream(of: Never.self)
        self.opening = opening
        radio = try await Adapter.open("00:AA:01:01:00:01", onBusAt: world.bus.rawValue)
        let source = AnswerSource { question, _ in
            if question.text.hasPrefix(slowly) { for await _ in gate {} }
            if question.text.hasPrefix(lately) {
                // Thinking is what takes the time; nothing is waited for.
                try await Task.sleep(for: .milliseconds(100 * WorldKind.current.slowness))
            }
            return Answer(.yes)
        }
        ball = EightBallPeripheral(
            radio: radio,
            name: "Ball",
            answers: source,
            atOnce: 16,
            timeouts: timeouts
        )
        await ball.addObserver(self)
        try await ball.start()
    }

    func letAnswer() {
        opening.finish()
    }

    func stop() async {
        letAnswer()
        await ball.stop()
        await radio.close()
    }

    // MARK: - What observers are told

    func peripheral(_ peripheral: any AnsweringPeripheral, radioDidBecome state: RadioState) async {
        told.tell("radio \(state)")
    }

    func peripheralDidStartAdvertising(_ peripheral: any AnsweringPeripheral) async {
        told.tell("advertising")
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didStopAdvertisingBecause error: EightBallError?
    ) async {
        told.tell("ended")
    }

    func peripheral(_ peripheral: any AnsweringPeripheral, didConnect device: any AskerDevice) async
    {
        told.tell("connected")
    }

    func peripheral(_ peripheral: any AnsweringPeripheral, didDisconnect device: any AskerDevice)
        async
    {
        told.tell("disconnected")
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didReceive question: Question,
        from device: any AskerDevice
    ) async {
        told.tell("question")
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didRejectQuestionOf device: any AskerDevice,
        because reason: RejectionReason
    ) async {
        told.tell("rejected (\(reason.name))")
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didSend answer: Answer,
        to question: Question,
        of device: any AskerDevice
    ) async {
        told.tell("answer")
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didDeliver answer: Answer,
        to question: Question,
        of device: any AskerDevice
    ) async {
        told.tell("delivered")
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didFailToAnswer question: Question,
        of device: any AskerDevice,
        because error: EightBallError
    ) async {
        told.tell("error (\(error.shortDescription))")
    }

    func peripheral(_ peripheral: any AnsweringPeripheral, didFail error: EightBallError) async {
        told.tell("error (\(error.shortDescription))")
    }
}
