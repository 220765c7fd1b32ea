import BLE
import MagicEightBall

/// Writes down what an observer hears, a line for each callback.
final class CentralRecorder: CentralObserver {
    private let lines = Feed<String>()

    func next() async -> String? { await lines.next() }

    private func note(_ line: String) { lines.continuation.yield(line) }

    func central(_ central: any Central, radioDidBecome state: RadioState) async {
        note("radio \(state)")
    }

    func central(_ central: any Central, didDiscover device: any PeripheralDevice) async {
        note("discovered \(device.name)")
    }

    func central(_ central: any Central, didChange device: any PeripheralDevice) async {
        let strength = await device.smoothedRSSI.map { "\($0.rawValue)" } ?? "?"
        note("changed \(device.name) \(strength)" + (await device.isInRange ? "" : ", far"))
    }

    func central(_ central: any Central, didLose device: any PeripheralDevice) async {
        note("lost \(device.name)")
    }

    func central(_ central: any Central, didConnect device: any PeripheralDevice) async {
        note("connected \(device.name)")
    }

    func central(
        _ central: any Central,
        didDisconnect device: any PeripheralDevice,
        because error: EightBallError?
    ) async {
        note("disconnected \(device.name)" + (error.map { ": \($0.code)" } ?? ""))
    }

    func central(
        _ central: any Central,
        didAsk question: Question,
        of device: any PeripheralDevice
    ) async {
        note("asked \(device.name) \(question)")
    }

    func central(
        _ central: any Central,
        didReceive answer: Answer,
        to question: Question,
        from device: any PeripheralDevice
    ) async {
        note("answered \(device.name) \(question) \(answer)")
    }

    func central(
        _ central: any Central,
        didFailToAsk question: Question,
        of device: any PeripheralDevice,
        because error: EightBallError
    ) async {
        note("failed \(device.name) \(question) \(error.code)" + error.detail)
    }

    func central(_ central: any Central, didFail error: EightBallError) async {
        note("failed \(error.code)" + error.detail)
    }
}

extension EightBallError {
    /// Reason or stage, with a space before.
    var detail: String {
        (code.rejectionReason.map { " " + $0.name } ?? "")
            + (code.timedOutStage.map { " " + $0.rawValue } ?? "")
    }
}
