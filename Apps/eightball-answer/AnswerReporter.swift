import BLE
import EightBallCLI
import MagicEightBall
import RadioCLI

/// Prints a ball's events.
final class AnswerReporter: PeripheralObserver {
    /// The askers whose answers were sent and printed, and those that have left; fails when the ball has stopped.
    let askers: AsyncThrowingStream<AskerEvent, any Error>

    private let console: Console
    private let adapter: String
    private let events: AsyncThrowingStream<AskerEvent, any Error>.Continuation

    init(_ console: Console, adapter: String) {
        self.console = console
        self.adapter = adapter
        (askers, events) = AsyncThrowingStream.makeStream(bufferingPolicy: .bufferingNewest(16))
    }

    func peripheral(_ peripheral: any AnsweringPeripheral, radioDidBecome state: RadioState) async {
        console.event(["event": "radio", "state": .string("\(state)")])
        console.progress("the radio is \(state)")
    }

    func peripheralDidStartAdvertising(_ peripheral: any AnsweringPeripheral) async {
        console.event([
            "event": "advertising",
            "adapter": .string(adapter),
            "name": .string(peripheral.localName),
        ])
        console.progress("'\(peripheral.localName)' is waiting for questions on \(adapter)")
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didStopAdvertisingBecause error: EightBallError?
    ) async {
        // A person is told by the failure that comes with it.
        console.event(["event": "ended", "message": error.map { .string($0.message) }])
    }

    func peripheral(_ peripheral: any AnsweringPeripheral, didConnect device: any AskerDevice) async
    {
        console.event(["event": "connected", "device": .string(device.id.rawValue)])
        console.progress("\(device.id) connected")
    }

    func peripheral(_ peripheral: any AnsweringPeripheral, didDisconnect device: any AskerDevice)
        async
    {
        console.event(["event": "disconnected", "device": .string(device.id.rawValue)])
        console.progress("\(device.id) disconnected")
        events.yield(.left(device.id))
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didReceive question: Question,
        from device: any AskerDevice
    ) async {
        console.event([
            "event": "question",
            "device": .string(device.id.rawValue),
            "question": .string(question.text),
        ])
        console.progress("\(device.id) asks: \(question)")
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didQueue question: Question,
        of device: any AskerDevice,
        at place: Int
    ) async {
        console.event([
            "event": "queued",
            "device": .string(device.id.rawValue),
            "question": .string(question.text),
            "place": .integer(place),
        ])
        console.progress("'\(question)' of \(device.id) waits in place \(place)")
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didDeliver answer: Answer,
        to question: Question,
        of device: any AskerDevice
    ) async {
        console.event([
            "event": "delivered",
            "device": .string(device.id.rawValue),
            "question": .string(question.text),
        ])
        console.progress("\(device.id) has read the answer to '\(question)'")
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didRejectQuestionOf device: any AskerDevice,
        because reason: RejectionReason
    ) async {
        console.event([
            "event": "rejected",
            "device": .string(device.id.rawValue),
            "reason": .string(reason.name),
        ])
        console.progress("refused a question of \(device.id): \(reason)")
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didSend answer: Answer,
        to question: Question,
        of device: any AskerDevice
    ) async {
        if console.isJSON {
            console.event([
                "event": "answer",
                "device": .string(device.id.rawValue),
                "question": .string(question.text),
                "answer": .string(answer.text),
                "slug": answer.slugValue,
                "kind": answer.kindValue,
            ])
        } else {
            console.result("\(question) \(answer)")
        }
        events.yield(.answered(device.id))
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didFailToAnswer question: Question,
        of device: any AskerDevice,
        because error: EightBallError
    ) async {
        console.event(of: error)
        console.progress("\(error)")
    }

    func peripheral(_ peripheral: any AnsweringPeripheral, didFail error: EightBallError) async {
        // The command says it when it ends.
        if error.code == .stopped { return events.finish(throwing: error) }
        console.event(of: error)
        // That was said when it went off.
        if error.code != .radioOff { console.progress("\(error)") }
    }
}
