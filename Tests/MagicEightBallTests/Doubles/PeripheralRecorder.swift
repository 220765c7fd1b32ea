import BLE
import MagicEightBall

/// Writes down what an observer hears, a line for each callback.
final class PeripheralRecorder: PeripheralObserver {
    private let lines = Feed<String>()

    func next() async -> String? { await lines.next() }

    private func note(_ line: String) { lines.continuation.yield(line) }

    func peripheral(_ peripheral: any AnsweringPeripheral, radioDidBecome state: RadioState) async {
        note("radio \(state)")
    }

    func peripheralDidStartAdvertising(_ peripheral: any AnsweringPeripheral) async {
        note("advertising")
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didStopAdvertisingBecause error: EightBallError?
    ) async {
        note("not advertising" + (error.map { ": \($0.code)" } ?? ""))
    }

    func peripheral(_ peripheral: any AnsweringPeripheral, didConnect device: any AskerDevice) async
    {
        note("connected \(device.id)")
    }

    func peripheral(_ peripheral: any AnsweringPeripheral, didDisconnect device: any AskerDevice)
        async
    {
        note("disconnected \(device.id)")
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didReceive question: Question,
        from device: any AskerDevice
    ) async {
        note("question \(device.id) \(question)")
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didQueue question: Question,
        of device: any AskerDevice,
        at place: Int
    ) async {
        note("queued \(device.id) \(question) \(place)")
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didDeliver answer: Answer,
        to question: Question,
        of device: any AskerDevice
    ) async {
        note("delivered \(device.id) \(question) \(answer)")
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didRejectQuestionOf device: any AskerDevice,
        because reason: RejectionReason
    ) async {
        note("rejected \(device.id) \(reason.name)")
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didSend answer: Answer,
        to question: Question,
        of device: any AskerDevice
    ) async {
        note("answer \(device.id) \(question) \(answer)")
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didFailToAnswer question: Question,
        of device: any AskerDevice,
        because error: EightBallError
    ) async {
        note("failed \(device.id) \(question) \(error.code)" + error.detail)
    }

    func peripheral(_ peripheral: any AnsweringPeripheral, didFail error: EightBallError) async {
        note("failed \(error.code)" + error.detail)
    }
}
