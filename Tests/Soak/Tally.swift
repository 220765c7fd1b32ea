import BLE
import BLEDBus
import BLELocking
import MagicEightBall

/// What became of all questions.
final class Tally: Sendable {
    struct Counts {
        var asked = 0
        var answered = 0
        var takenBack = 0
        /// By reason.
        var refused: [String: Int] = [:]
        /// By code.
        var failed: [String: Int] = [:]
        /// Answered, but with another one's answer.
        var crossed = 0
        /// The first of those.
        var firstCrossed: String?
        /// Neither answered nor failed long after their last time limit.
        var hung = 0
        /// Of which observers were told more than once what became of them.
        var toldTwice = 0
        /// Of which observers have not been told yet what became of them: those of askers, of balls.
        var untold: [Set<String>] = [[], []]
        /// Reasons why no ball could be asked.
        var withoutBall: [String: Int] = [:]
        var sightings = 0
        var addresses: [Bool] = []

        var refusedCount: Int { refused.values.reduce(0, +) }
        var failedCount: Int { failed.values.reduce(0, +) }

        /// Questions without any outcome, for whoever asked or for observers.
        var lost: Int {
            asked - answered - takenBack - refusedCount - failedCount - crossed - hung
                + untold[0].count + untold[1].count
        }
    }

    private let locked: Locked<Counts>

    init(addressCount: Int) {
        var counts = Counts()
        counts.addresses = Array(repeating: false, count: addressCount)
        locked = Locked(counts)
    }

    var counts: Counts { locked.withLock { $0 } }

    func change(_ change: (inout Counts) -> Void) {
        locked.withLock(change)
    }

    /// A question has been asked, and this came of it.
    func end(_ text: String, _ outcome: Result<String?, any Error>) {
        change { counts in
            switch outcome {
            case .success(QuestionKind.answer(to: text)): counts.answered += 1
            case .success(nil): counts.takenBack += 1
            case .success(let answer?):
                counts.crossed += 1
                counts.firstCrossed = counts.firstCrossed ?? "'\(text)' was told '\(answer)'"
            case .failure(let error as EightBallError):
                if let reason = error.code.rejectionReason {
                    counts.refused[reason.name, default: 0] += 1
                } else {
                    let stage = error.code.timedOutStage.map { " \($0.rawValue)" } ?? ""
                    counts.failed["\(error.code)\(stage)", default: 0] += 1
                }
            case .failure(let error as ATTError):
                counts.refused[RejectionReason(error).name, default: 0] += 1
            case .failure(let error as RadioError):
                counts.failed["radio: \(error.code)", default: 0] += 1
            case .failure(let error):
                counts.failed["\(type(of: error))", default: 0] += 1
            }
        }
    }
}

/// Counts what observers of a central are told.
final class AskingObserver: CentralObserver {
    private let tally: Tally

    init(_ tally: Tally) {
        self.tally = tally
    }

    func central(
        _ central: any AskingCentral,
        didReceive answer: Answer,
        to question: Question,
        from device: any BallDevice
    ) {
        told(question)
    }

    func central(
        _ central: any AskingCentral,
        didFailToAsk question: Question,
        of device: any BallDevice,
        because error: EightBallError
    ) {
        told(question)
    }

    private func told(_ question: Question) {
        tally.change { if $0.untold[0].remove(question.text) == nil { $0.toldTwice += 1 } }
    }
}

/// Counts what observers of a ball are told.
final class AnsweringObserver: PeripheralObserver {
    private let tally: Tally

    init(_ tally: Tally) {
        self.tally = tally
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didReceive question: Question,
        from device: any AskerDevice
    ) {
        tally.change { $0.untold[1].insert(question.text) }
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didSend answer: Answer,
        to question: Question,
        of device: any AskerDevice
    ) {
        tally.change { if $0.untold[1].remove(question.text) == nil { $0.toldTwice += 1 } }
    }

    /// Also after ``peripheral(_:didSend:to:of:)``, for an answer that was not read.
    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didFailToAnswer question: Question,
        of device: any AskerDevice,
        because error: EightBallError
    ) {
        tally.change { $0.untold[1].remove(question.text) }
    }
}
