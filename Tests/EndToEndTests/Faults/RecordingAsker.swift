import BLE
import BLEDBus
import BLELocking
import BlueZ
import MagicEightBall

/// An asker of the SDK in this process, that keeps what its observers are told, in the words of
/// `eightball-ask --json`, and counts how each question ends.
final class RecordingAsker: CentralObserver {
    /// What came of trying to ask.
    enum Ending {
        case answered
        case failed(EightBallError)
        /// No ball was heard, so nothing was asked.
        case noBall(EightBallError)
        /// The time limits of the SDK are over, and nothing came.
        case hung
    }

    private struct Tally {
        var askedCount = 0
        /// How often each question has ended, as observers were told.
        var endings: [String: Int] = [:]
        var results: [String: Int] = [:]
        var lastFailure = "nothing was asked"
    }

    let told = Chronicle()
    let timeouts: Timeouts
    private let radio: Adapter
    private let central: EightBallCentral
    private let tally = Locked(Tally())

    /// Begins to look for balls.
    init(in world: any World, on adapter: String, _ timeouts: Timeouts) async throws {
        self.timeouts = timeouts
        radio = try await Adapter.open(adapter, onBusAt: world.bus.rawValue)
        central = EightBallCentral(radio: radio, timeouts: timeouts)
        await central.addObserver(self)
        try await central.start()
    }

    func stop() async {
        await central.stop()
        await radio.close()
    }

    /// Asks the ball that is known, or the next one that is heard.
    ///
    /// - Parameter prefix: how the question begins; the ball's source knows what that means.
    /// - Returns: what came of it.
    func ask(_ prefix: String = "Is it") async -> Ending {
        let ending = await result(prefix)
        let name =
            switch ending {
            case .answered: "answered"
            case .failed(let error): error.shortDescription
            case .noBall: ""
            case .hung: "hung"
            }
        tally.withLock { tally in
            if !name.isEmpty { tally.results[name, default: 0] += 1 }
            switch ending {
            case .failed(let error), .noBall(let error): tally.lastFailure = error.message
            case .answered, .hung: break
            }
        }
        return ending
    }

    private func result(_ prefix: String) async -> Ending {
        let ball: any BallDevice
        do {
            ball = try await central.discoverDevice { _ in true }
        } catch {
            return .noBall(error as? EightBallError ?? EightBallError(.failed, "\(error)"))
        }
        let number = tally.withLock { tally in
            tally.askedCount += 1
            return tally.askedCount
        }
        do {
            // More than all limits of the SDK together.
            let limit = timeouts.question + FaultScene.patience
            let answer = try await withTimeLimit(limit, on: ContinuousClock()) { [central] in
                try await central.ask(Question("\(prefix) \(number)?"), of: ball)
            }
            return answer == nil ? .hung : .answered
        } catch {
            return .failed(error as? EightBallError ?? EightBallError(.failed, "\(error)"))
        }
    }

    /// Asks on and on, until a question is answered.
    ///
    /// - Returns: how long that took; `nil` when it took longer than the limit.
    func recover(within limit: Duration) async throws -> Duration? {
        let begin = ContinuousClock.now
        while begin.duration(to: .now) < limit {
            if case .answered = await ask() { return begin.duration(to: .now) }
            // A question that fails at once is not asked again at once, as a person would not.
            try await Task.sleep(for: .milliseconds(25 * WorldKind.current.slowness))
        }
        return nil
    }

    // MARK: - What became of the questions

    /// Waits until observers were told of the end of each question.
    func settle() async -> Bool {
        await told.wait(within: FaultScene.patience) { _ in
            tally.withLock { $0.endings.count == $0.askedCount }
        }
    }

    var askedCount: Int { tally.withLock { $0.askedCount } }

    /// How many questions have not ended exactly once.
    var lostCount: Int {
        tally.withLock { $0.askedCount - $0.endings.values.count { $0 == 1 } }
    }

    /// Why the last question failed, or none could be asked.
    var lastFailure: String { tally.withLock { $0.lastFailure } }

    /// How many were asked, and how many ended how.
    var figures: String {
        tally.withLock { tally in
            let results = tally.results
            let reasons = results.filter { !["answered", "hung"].contains($0.key) }
            let words = reasons.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
            let failed = reasons.values.reduce(0, +)
            return
                "asked \(tally.askedCount), answered \(results["answered"] ?? 0), failed \(failed)"
                + (words.isEmpty ? "" : " (\(words.joined(separator: ", ")))")
                + ", hung \(results["hung"] ?? 0)"
        }
    }

    // MARK: - What observers are told

    private func end(_ question: Question) {
        tally.withLock { $0.endings[question.text, default: 0] += 1 }
    }

    func central(_ central: any AskingCentral, radioDidBecome state: RadioState) async {
        told.tell("radio \(state)")
    }

    func central(_ central: any AskingCentral, didDiscover device: any BallDevice) async {
        told.tell("sighting")
    }

    func central(_ central: any AskingCentral, didLose device: any BallDevice) async {
        told.tell("lost")
    }

    func central(_ central: any AskingCentral, didConnect device: any BallDevice) async {
        told.tell("connected")
    }

    func central(
        _ central: any AskingCentral,
        didDisconnect device: any BallDevice,
        because error: EightBallError?
    ) async {
        told.tell("disconnected" + (error.map { " (\($0.shortDescription))" } ?? ""))
    }

    func central(
        _ central: any AskingCentral,
        didAsk question: Question,
        of device: any BallDevice
    ) async {
        told.tell("asked")
    }

    func central(
        _ central: any AskingCentral,
        didReceive answer: Answer,
        to question: Question,
        from device: any BallDevice
    ) async {
        end(question)
        told.tell("answered")
    }

    func central(
        _ central: any AskingCentral,
        didFailToAsk question: Question,
        of device: any BallDevice,
        because error: EightBallError
    ) async {
        end(question)
        told.tell("failed (\(error.shortDescription))")
    }

    func central(_ central: any AskingCentral, didFail error: EightBallError) async {
        told.tell("error (\(error.shortDescription))")
    }
}

extension EightBallError {
    /// The code, with its reason or stage.
    var shortDescription: String {
        if let stage = code.timedOutStage { return "\(code) \(stage.rawValue)" }
        if let reason = code.rejectionReason { return "\(code) \(reason.name)" }
        return "\(code)"
    }
}
