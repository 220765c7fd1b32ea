import BLE
import EightBallCLI
import MagicEightBall

/// Prints what an asker hears.
final class AskReporter: CentralObserver {
    private let console: Console
    private let isWanted: @Sendable (any PeripheralDevice) -> Bool
    private let reports: AsyncStream<Void>
    private let questionEnded: AsyncStream<Void>.Continuation
    private let disconnections: AsyncStream<Void>
    private let linkEnded: AsyncStream<Void>.Continuation

    init(_ console: Console, isWanted: @escaping @Sendable (any PeripheralDevice) -> Bool) {
        self.console = console
        self.isWanted = isWanted
        (reports, questionEnded) = AsyncStream.makeStream()
        (disconnections, linkEnded) = AsyncStream.makeStream()
    }

    func scanning(with adapter: String) {
        console.event(["event": "scanning", "adapter": .string(adapter)])
        console.progress("looking for a ball with \(adapter)")
    }

    /// Asks; returns when what came of it has been printed.
    func ask(
        _ question: Question,
        of ball: any PeripheralDevice,
        through central: any Central
    ) async throws {
        let result: Result<Answer, any Error>
        do {
            result = .success(try await central.ask(question, of: ball))
        } catch {
            result = .failure(error)
        }
        // Callbacks come later than the result; each question ends with exactly one.
        for await _ in reports { break }
        _ = try result.get()
    }

    /// Returns when a disconnection has been printed.
    func disconnection() async {
        for await _ in disconnections { break }
    }

    func central(_ central: any Central, radioDidBecome state: RadioState) async {
        console.event(["event": "radio", "state": .string("\(state)")])
        console.progress("the radio is \(state)")
    }

    func central(_ central: any Central, didDiscover device: any PeripheralDevice) async {
        console.event([
            "event": "sighting",
            "device": .string(device.id.rawValue),
            "name": .string(device.name),
            "rssi": await device.rssi.map { .integer($0.rawValue) },
        ])
        let next = isWanted(device) ? ", connecting" : ""
        console.progress("heard '\(device.name)' (\(device.id))\(next)")
    }

    func central(_ central: any Central, didLose device: any PeripheralDevice) async {
        report("lost", device)
        console.progress("lost '\(device.name)'")
    }

    func central(_ central: any Central, didConnect device: any PeripheralDevice) async {
        report("connected", device)
        console.progress("connected to '\(device.name)', asking")
    }

    func central(
        _ central: any Central,
        didDisconnect device: any PeripheralDevice,
        because error: EightBallError?
    ) async {
        report("disconnected", device, message: error?.message)
        if let error { console.progress(error.message) }
        linkEnded.yield()
    }

    func central(
        _ central: any Central,
        didAsk question: Question,
        of device: any PeripheralDevice
    ) async {
        console.event([
            "event": "asked",
            "device": .string(device.id.rawValue),
            "name": .string(device.name),
            "question": .string(question.text),
        ])
        console.progress("'\(device.name)' is thinking")
    }

    func central(
        _ central: any Central,
        didReceive answer: Answer,
        to question: Question,
        from device: any PeripheralDevice
    ) async {
        if console.isJSON {
            console.event([
                "event": "answered",
                "device": .string(device.id.rawValue),
                "name": .string(device.name),
                "question": .string(question.text),
                "answer": .string(answer.text),
                "slug": answer.slugValue,
                "kind": answer.kindValue,
            ])
        } else {
            console.result(answer.text)
        }
        questionEnded.finish()
    }

    func central(
        _ central: any Central,
        didFailToAsk question: Question,
        of device: any PeripheralDevice,
        because error: EightBallError
    ) async {
        // The command says it when it ends.
        questionEnded.finish()
    }

    func central(_ central: any Central, didFail error: EightBallError) async {
        console.event(of: error)
    }

    private func report(
        _ event: JSONLine.Value,
        _ device: any PeripheralDevice,
        message: String? = nil
    ) {
        console.event([
            "event": event,
            "device": .string(device.id.rawValue),
            "name": .string(device.name),
            "message": message.map { .string($0) },
        ])
    }
}
