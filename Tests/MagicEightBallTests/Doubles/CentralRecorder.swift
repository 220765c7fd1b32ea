import BLE
import MagicEightBall

/// Writes down what an observer hears, a line for each callback.
final class CentralRecorder: CentralObserver {
    private let lines = Feed<String>()

    func next() async -> String? { await lines.next() }

    private func note(_ line: String) { lines.continuation.yield(line) }

    func central(_ central: any AskingCentral, radioDidBecome state: RadioState) async {
        note("radio \(state)")
    }

    func central(_ central: any AskingCentral, didDiscover device: any BallDevice) async {
        note("discovered \(device.name)")
    }

    func central(_ central: any AskingCentral, didChange device: any BallDevice) async {
        let strength = await device.smoothedRSSI.map { "\($0.rawValue)" } ?? "?"
        note("changed \(device.name) \(strength)" + (await device.isInRange ? "" : ", far"))
    }

    func central(_ central: any AskingCentral, didLose device: any BallDevice) async {
        note("lost \(device.name)")
    }

    func central(_ central: any AskingCentral, didConnect device: any BallDevice) async {
        note("connected \(device.name)")
    }

    func central(
        _ central: any AskingCentral,
        didDisconnect device: any BallDevice,
        because error: EightBallError?
    ) async {
        note("disconnected \(device.name)" + (error.map { ": \($0.code)" } ?? ""))
    }

    func central(
        _ central: any AskingCentral,
        didAsk question: Question,
        of device: any BallDevice
    ) async {
        note("asked \(device.name) \(question)")
    }

    func central(
        _ central: any AskingCentral,
        didReceive answer: Answer,
        to question: Question,
        from device: any BallDevice
    ) async {
        note("answered \(device.name) \(question) \(answer)")
    }

    func central(
        _ central: any AskingCentral,
        didFailToAsk question: Question,
        of device: any BallDevice,
        because error: EightBallError
    ) async {
        note("failed \(device.name) \(question) \(error.code)" + error.detail)
    }

    func central(_ central: any AskingCentral, didFail error: EightBallError) async {
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
