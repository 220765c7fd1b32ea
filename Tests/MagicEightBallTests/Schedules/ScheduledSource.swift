import BLETesting

@testable import MagicEightBall

/// Who thinks about what, in a schedule.
///
/// Unchecked, as ``Scheduler``.
final class ScheduledSource: @unchecked Sendable {
    private let schedule: Schedule
    private(set) var thoughts: [Int: Question] = [:]
    private let waiting = Waiting<Answer>()

    init(_ schedule: Schedule) { self.schedule = schedule }

    var answers: AnswerSource {
        AnswerSource { question, _ in
            await self.schedule.scheduler.hop()
            self.schedule.note("thinks about \(question)")
            return try await self.waiting.wait { number in
                self.thoughts[number] = question
            } cancelled: { number in
                self.thoughts[number] = nil
                self.schedule.note("no longer thinks about \(question)")
            }
        }
    }

    /// A thought comes to its end, with the answer to its question unless told otherwise.
    func finish(_ number: Int, _ result: Result<Answer, any Error>? = nil) {
        guard let question = thoughts.removeValue(forKey: number) else { return }
        schedule.note("has thought about \(question)")
        waiting.resume(number, with: result ?? .success(Answer(received: "A \(question)")))
    }
}
