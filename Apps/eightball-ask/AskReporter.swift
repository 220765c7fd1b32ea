import BLE
import EightBallCLI
import MagicEightBall
import RadioCLI

/// Prints an asker's events.
final class AskReporter: CentralObserver {
    private let console: Console
    /// Printed before anything that is discovered.
    let scan: ScanAnnouncement
    private let reach: Reach
    private let isWanted: @Sendable (any BallDevice) -> Bool
    private let reports: AsyncStream<Void>
    private let questionEnded: AsyncStream<Void>.Continuation
    private let comings: AsyncStream<Void>
    private let answered: AsyncStream<Void>.Continuation
    /// The links, as far as they have been printed.
    let links = LinkTally()

    init(
        _ console: Console,
        adapter: String,
        reach: Reach,
        isWanted: @escaping @Sendable (any BallDevice) -> Bool
    ) {
        self.console = console
        scan = ScanAnnouncement(console, adapter: adapter, sought: "a ball")
        self.reach = reach
        self.isWanted = isWanted
        (reports, questionEnded) = AsyncStream.makeStream()
        (comings, answered) = AsyncStream.makeStream()
    }

    /// Asks; returns when the outcome has been printed.
    func ask(
        _ question: Question,
        of ball: any BallDevice,
        through central: any AskingCentral
    ) async throws {
        let result: Result<Answer, any Error>
        do {
            result = .success(try await central.ask(question, of: ball))
        } catch {
            result = .failure(error)
        }
        await ends(1)
        _ = try result.get()
    }

    /// Returns when it has been printed what came of so many questions.
    ///
    /// Callbacks come later than results; each question ends with exactly one.
    func ends(_ count: Int) async {
        var reports = reports.makeAsyncIterator()
        for _ in 0..<count { _ = await reports.next() }
    }

    /// Returns when so many answers have come, and been printed.
    func answers(_ count: Int) async {
        var comings = comings.makeAsyncIterator()
        for _ in 0..<count { _ = await comings.next() }
    }

    /// Prints a ball's answer for people.
    func show(_ answer: Answer, of ball: any BallDevice) {
        guard !console.isJSON else { return }
        console.result("\(ball.name): \(answer.text)")
    }

    func central(_ central: any AskingCentral, radioDidBecome state: RadioState) async {
        console.event(["event": "radio", "state": .string("\(state)")])
        console.progress("the radio is \(state)")
    }

    func central(_ central: any AskingCentral, didDiscover device: any BallDevice) async {
        await scan.make()
        console.event([
            "event": "sighting",
            "device": .string(device.id.rawValue),
            "name": .string(device.name),
            "rssi": await device.rssi.map { .integer($0.rawValue) },
        ])
        let next = isWanted(device) && reach != .all ? ", connecting" : ""
        console.progress("found '\(device.name)' (\(device.id))\(next)")
    }

    func central(_ central: any AskingCentral, didLose device: any BallDevice) async {
        report("lost", device)
        console.progress("lost '\(device.name)'")
    }

    func central(_ central: any AskingCentral, didConnect device: any BallDevice) async {
        report("connected", device)
        console.progress("connected to '\(device.name)', asking")
        await links.didConnect()
    }

    func central(
        _ central: any AskingCentral,
        didDisconnect device: any BallDevice,
        because error: EightBallError?
    ) async {
        report("disconnected", device, message: error?.message)
        if let error { console.progress(error.message) }
        await links.didDisconnect()
    }

    func central(
        _ central: any AskingCentral,
        didAsk question: Question,
        of device: any BallDevice
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
        _ central: any AskingCentral,
        didReceive answer: Answer,
        to question: Question,
        from device: any BallDevice
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
            switch reach {
            case .one: console.result(answer.text)
            case .all: show(answer, of: device)
            // Two may answer at once; the command says which was the first.
            case .first, .list: break
            }
        }
        answered.yield()
        questionEnded.yield()
    }

    func central(
        _ central: any AskingCentral,
        didFailToAsk question: Question,
        of device: any BallDevice,
        because error: EightBallError
    ) async {
        // Of a single ball the command says it when it ends; who was cancelled has not failed.
        if reach != .one, error.code != .cancelled {
            console.event([
                "event": "failed",
                "device": .string(device.id.rawValue),
                "name": .string(device.name),
                "question": .string(question.text),
                "code": .string("\(error.code)"),
                "reason": (error.code.rejectionReason).map { .string($0.name) },
                "stage": (error.code.timedOutStage).map { .string($0.rawValue) },
                "message": .string(error.message),
            ])
            if !console.isJSON { console.failure(error.message) }
        }
        questionEnded.yield()
    }

    func central(_ central: any AskingCentral, didFail error: EightBallError) async {
        console.event(of: error)
    }

    private func report(
        _ event: JSONLine.Value,
        _ device: any BallDevice,
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
