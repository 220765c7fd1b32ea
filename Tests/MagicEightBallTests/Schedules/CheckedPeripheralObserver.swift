import BLE
import BLETesting
import MagicEightBall

/// Holds what it hears against ``PeripheralEventOrder``, and writes it down.
///
/// Unchecked, as ``Scheduler``.
final class CheckedPeripheralObserver: PeripheralObserver, @unchecked Sendable {
    private let schedule: Schedule
    private(set) var order = PeripheralEventOrder()
    /// Who asked what, as told last.
    private(set) var questions: [(question: Question, asker: any AskerDevice)] = []
    /// What it does within a callback.
    var act: ((any AnsweringPeripheral) async -> Void)?
    private var isBusy = false

    init(_ schedule: Schedule) { self.schedule = schedule }

    /// Lets go of the askers, which hold their ball.
    func forgetDevices() { questions = [] }

    private func take(
        _ event: PeripheralEventOrder.Event?,
        _ line: String,
        _ ball: any AnsweringPeripheral
    ) async {
        if isBusy { schedule.fault("\(line), while another callback runs") }
        isBusy = true
        schedule.note("heard: \(line)")
        if let event, let fault = order.take(event) { schedule.fault("\(line): \(fault)") }
        await schedule.scheduler.hop()
        await act?(ball)
        isBusy = false
    }

    func peripheral(_ peripheral: any AnsweringPeripheral, radioDidBecome state: RadioState) async {
        await take(.radio(state), "radio \(state)", peripheral)
    }

    func peripheralDidStartAdvertising(_ peripheral: any AnsweringPeripheral) async {
        await take(.shown, "advertising", peripheral)
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didStopAdvertisingBecause error: EightBallError?
    ) async {
        let reason = error.map { ": \($0.code)" } ?? ""
        await take(.hidden, "not advertising\(reason)", peripheral)
    }

    func peripheral(_ peripheral: any AnsweringPeripheral, didConnect device: any AskerDevice) async
    {
        await take(.connected(device.id), "connected \(device.id)", peripheral)
    }

    func peripheral(_ peripheral: any AnsweringPeripheral, didDisconnect device: any AskerDevice)
        async
    {
        await take(.disconnected(device.id), "disconnected \(device.id)", peripheral)
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didReceive question: Question,
        from device: any AskerDevice
    ) async {
        questions.append((question, device))
        let event = PeripheralEventOrder.Event.received(question.text, device.id)
        await take(event, "question \(device.id) \(question)", peripheral)
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didQueue question: Question,
        of device: any AskerDevice,
        at place: Int
    ) async {
        let event = PeripheralEventOrder.Event.queued(question.text, device.id)
        await take(event, "queued \(device.id) \(question) \(place)", peripheral)
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didRejectQuestionOf device: any AskerDevice,
        because reason: RejectionReason
    ) async {
        await take(.rejected(device.id), "rejected \(device.id) \(reason.name)", peripheral)
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didSend answer: Answer,
        to question: Question,
        of device: any AskerDevice
    ) async {
        await take(.sent(question.text), "sent \(device.id) \(question) \(answer)", peripheral)
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didDeliver answer: Answer,
        to question: Question,
        of device: any AskerDevice
    ) async {
        await take(.delivered(question.text), "delivered \(device.id) \(question)", peripheral)
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didFailToAnswer question: Question,
        of device: any AskerDevice,
        because error: EightBallError
    ) async {
        let line = "failed \(device.id) \(question) \(error.code)\(error.detail)"
        await take(.failed(question.text), line, peripheral)
    }

    func peripheral(_ peripheral: any AnsweringPeripheral, didFail error: EightBallError) async {
        await take(nil, "failed \(error.code)\(error.detail)", peripheral)
    }
}
