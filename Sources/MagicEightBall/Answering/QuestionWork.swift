internal import BLE

/// What is under way at a ball for one question that it has accepted.
struct QuestionWork {
    /// Finds the answer.
    var thinking: Task<Void, Never>?
    /// How long the thinking may take, or how long a reply is kept.
    private(set) var limit: Deadline?
    /// Sends the answer.
    var sending: Task<Void, any Error>?
    /// Whether the answer was reported as sent; its asker may read it before the radio has said so.
    var isSent = false
    /// Notifies that the reply can be read.
    var notifying: Task<Void, Never>?

    /// Begins to measure a time, and no longer the one before.
    mutating func setLimit(_ deadline: Deadline) {
        limit?.cancel()
        limit = deadline
    }

    func cancel() {
        thinking?.cancel()
        limit?.cancel()
        sending?.cancel()
        notifying?.cancel()
    }
}
