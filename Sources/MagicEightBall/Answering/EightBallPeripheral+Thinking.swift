// Thinking: each question has its turn, within the limit.
extension EightBallPeripheral {
    /// Begins to think about the questions whose turn it is.
    func advance() {
        while let next = queue.next() {
            let thinking = answers.think.map { think in
                Task { await self.think(of: next, think) }
            }
            // Beside the thinking, so that what cannot be cancelled keeps nobody waiting.
            let limit = Task { await self.limitThinking(of: next) }
            queue.update(next.id) {
                $0.thinking = thinking
                $0.limit = limit
            }
        }
    }

    private func think(of pending: PendingQuestion, _ think: AnswerSource.Think) async {
        func isWaiting() -> Bool {
            queue.all.contains { $0.id == pending.id && !$0.isBeingAnswered }
        }
        do {
            // When all leave at once, each has its turn for a moment.
            guard isWaiting() else { return }
            let answer = try await think(pending.question, pending.asker)
            guard isWaiting() else { return }
            try await send(answer, as: pending)
        } catch let reason as RejectionReason {
            giveUp(pending, because: reason)
        } catch {
            let attempt = "finding an answer to '\(pending.question)'"
            let failure = EightBallError(attempt, at: .answering, failedWith: error)
            giveUp(pending.id, because: failure, saying: .peripheralError)
        }
    }

    private func limitThinking(of pending: PendingQuestion) async {
        do {
            try await clock.sleep(for: timeouts.thinking)
            try Task.checkCancellation()
        } catch {
            // Cancelled: it was answered, or is given up.
            return
        }
        let attempt = "finding an answer to '\(pending.question)'"
        let failure = EightBallError(
            attempt,
            at: .answering,
            tookLongerThan: timeouts.thinking
        )
        giveUp(pending.id, because: failure, saying: .peripheralError)
    }
}
