import BLE
import MagicEightBall

/// Writes down what an observer hears, a line for each callback.
final class PeripheralRecorder: PeripheralObserver {
    private let lines = Feed<String>()

    func next() async -> String? { await lines.next() }

    private func note(_ line: String) { lines.continuation.yield(line) }

    func peripheral(_ peripheral: any Peripheral, radioDidBecome state: RadioState) async {
        note("radio \(state)")
    }

    func peripheralDidStartAdvertising(_ peripheral: any Peripheral) async {
        note("advertising")
    }

    func peripheral(
        _ peripheral: any Peripheral,
        didStopAdvertisingBecause error: EightBallError?
    ) async {
        note("not advertising" + (error.map { ": \($0.code)" } ?? ""))
    }

    func peripheral(_ peripheral: any Peripheral, didConnect device: any CentralDevice) async {
        note("connected \(device.id)")
    }

    func peripheral(_ peripheral: any Peripheral, didDisconnect device: any CentralDevice) async {
        note("disconnected \(device.id)")
    }

    func peripheral(
        _ peripheral: any Peripheral,
        didReceive question: Question,
        from device: any CentralDevice
    ) async {
        note("question \(device.id) \(question)")
    }

    func peripheral(
        _ peripheral: any Peripheral,
        didQueue question: Question,
        of device: any CentralDevice,
        at place: Int
    ) async {
        note("queued \(device.id) \(question) \(place)")
    }

    func peripheral(
        _ peripheral: any Peripheral,
        didDeliver answer: Answer,
        to question: Question,
        of device: any CentralDevice
    ) async {
        note("delivered \(device.id) \(question) \(answer)")
    }

    func peripheral(
        _ peripheral: any Peripheral,
        didRejectQuestionOf device: any CentralDevice,
        because reason: RejectionReason
    ) async {
        note("rejected \(device.id) \(reason.name)")
    }

    func peripheral(
        _ peripheral: any Peripheral,
        didSend answer: Answer,
        to question: Question,
        of device: any CentralDevice
    ) async {
        note("answer \(device.id) \(question) \(answer)")
    }

    func peripheral(
        _ peripheral: any Peripheral,
        didFailToAnswer question: Question,
        of device: any CentralDevice,
        because error: EightBallError
    ) async {
        note("failed \(device.id) \(question) \(error.code)" + error.detail)
    }

    func peripheral(_ peripheral: any Peripheral, didFail error: EightBallError) async {
        note("failed \(error.code)" + error.detail)
    }
}
