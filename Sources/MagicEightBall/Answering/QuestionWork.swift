/// The tasks that a ball has for one question that it has accepted.
struct QuestionWork {
    /// Finds the answer.
    var thinking: Task<Void, Never>?
    /// Waits as long as the thinking may take, or as long as a reply is kept.
    var limit: Task<Void, Never>?
    /// Sends the answer.
    var sending: Task<Void, any Error>?
    /// Notifies that the reply can be read.
    var notifying: Task<Void, Never>?

    func cancel() {
        thinking?.cancel()
        limit?.cancel()
        sending?.cancel()
        notifying?.cancel()
    }
}
