internal import BLE

// Thinking: the source is asked, within the limit.
extension EightBallPeripheral {
    /// Asks the source for the answer to a question.
    func think(of question: AcceptedQuestion) {
        // Not on the radio's executor: the source is the program's.
        let thinking = answers.think.map { think in
            Task { await self.think(of: question, think) }
        }
        // Beside the source's task, as a source may ignore cancellation.
        let deadline = Deadline(after: timeouts.thinking, on: clock, of: self) {
            $0.endThinking(of: question)
        }
        work[question.id, default: QuestionWork()].thinking = thinking
        work[question.id]?.setLimit(deadline)
    }

    private func think(of question: AcceptedQuestion, _ think: AnswerSource.Think) async {
        do {
            // When all leave at once, each has its turn for a moment.
            guard !Task.isCancelled else { return }
            let answer = try await think(question.question, question.asker)
            guard !Task.isCancelled else { return }
            take(.answered(answer), of: question.id)
        } catch {
            guard !Task.isCancelled else { return }
            guard let reason = error as? RejectionReason else {
                let attempt = "finding an answer to '\(question.question)'"
                let failure = EightBallError(attempt, at: .answering, failedWith: error)
                return take(.refused(.peripheralError, failure), of: question.id)
            }
            refuse(question, because: reason)
        }
    }

    private func endThinking(of question: AcceptedQuestion) {
        let attempt = "finding an answer to '\(question.question)'"
        let limit = timeouts.thinking
        let failure = EightBallError(attempt, at: .answering, tookLongerThan: limit)
        take(.refused(.peripheralError, failure), of: question.id)
    }
}
