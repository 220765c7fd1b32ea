import BLE
import BLETesting
import MagicEightBall

/// Holds what it hears against ``CentralEventOrder``, and writes it down.
///
/// Unchecked, as ``Scheduler``.
final class CheckedCentralObserver: CentralObserver, @unchecked Sendable {
    private let schedule: Schedule
    /// It came later, and knows nothing of what was before.
    private let isLate: Bool
    var hasJoined = false
    /// It was removed.
    var hasLeft = false
    private(set) var heard: [String] = []
    private(set) var order = CentralEventOrder()
    private(set) var devices: [PeerID: any BallDevice] = [:]
    /// How each question ended: `nil` with an answer.
    private(set) var ends: [Asked: EightBallError.Code?] = [:]
    /// When it was heard.
    private(set) var endTimes: [Asked: Duration] = [:]
    /// What it does within a callback.
    var act: ((any AskingCentral) async -> Void)?
    private var isBusy = false

    init(_ schedule: Schedule, isLate: Bool = false) {
        self.schedule = schedule
        self.isLate = isLate
    }

    func stopped() { order.stopped() }

    /// Lets go of the balls, which hold their central.
    func forgetDevices() { devices = [:] }

    private func take(
        _ event: CentralEventOrder.Event?,
        _ line: String,
        _ central: any AskingCentral
    )
        async
    {
        if isBusy { schedule.fault("\(line), while another callback runs") }
        isBusy = true
        if hasLeft { schedule.fault("\(line), though the observer was removed") }
        heard.append(line)
        if !isLate { schedule.note("heard: \(line)") }
        if !isLate, let event, let fault = order.take(event) { schedule.fault("\(line): \(fault)") }
        await schedule.scheduler.hop()
        await act?(central)
        isBusy = false
    }

    func central(_ central: any AskingCentral, radioDidBecome state: RadioState) async {
        await take(.radio(state), "radio \(state)", central)
    }

    func central(_ central: any AskingCentral, didDiscover device: any BallDevice) async {
        devices[device.id] = device
        await take(.discovered(device.id), "discovered \(device.id)", central)
    }

    func central(_ central: any AskingCentral, didChange device: any BallDevice) async {
        await take(.changed(device.id), "changed \(device.id)", central)
    }

    func central(_ central: any AskingCentral, didLose device: any BallDevice) async {
        await take(.lost(device.id), "lost \(device.id)", central)
    }

    func central(_ central: any AskingCentral, didConnect device: any BallDevice) async {
        await take(.connected(device.id), "connected \(device.id)", central)
    }

    func central(
        _ central: any AskingCentral,
        didDisconnect device: any BallDevice,
        because error: EightBallError?
    ) async {
        let reason = error.map { ": \($0.code)" } ?? ""
        await take(.disconnected(device.id), "disconnected \(device.id)\(reason)", central)
    }

    func central(
        _ central: any AskingCentral,
        didAsk question: Question,
        of device: any BallDevice
    ) async {
        await take(
            .asked(Asked(question.text, device.id)),
            "asked \(device.id) \(question)",
            central
        )
    }

    func central(
        _ central: any AskingCentral,
        didReceive answer: Answer,
        to question: Question,
        from device: any BallDevice
    ) async {
        ends[Asked(question.text, device.id)] = .some(nil)
        endTimes[Asked(question.text, device.id)] = schedule.now
        await take(
            .answered(Asked(question.text, device.id)),
            "answered \(device.id) \(question) \(answer)",
            central
        )
    }

    func central(
        _ central: any AskingCentral,
        didFailToAsk question: Question,
        of device: any BallDevice,
        because error: EightBallError
    ) async {
        ends[Asked(question.text, device.id)] = error.code
        endTimes[Asked(question.text, device.id)] = schedule.now
        await take(
            .failed(Asked(question.text, device.id)),
            "failed \(device.id) \(question) \(error.code)\(error.detail)",
            central
        )
    }

    func central(_ central: any AskingCentral, didFail error: EightBallError) async {
        await take(nil, "failed \(error.code)\(error.detail)", central)
    }
}
