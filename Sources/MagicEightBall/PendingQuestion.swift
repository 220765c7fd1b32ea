/// A question that a ball has accepted and not yet answered.
struct PendingQuestion {
    /// How it came, and so how its answer goes.
    enum Way: Hashable {
        /// Over the plain pair: the answer is told to all.
        case plain
        /// Over the private pair: the answer is read by its asker alone.
        case inquiry(InquiryTag)
    }

    /// Tells a late answer from one to this question.
    let id: Int
    let question: Question
    let asker: Asker
    let way: Way
    /// The most bytes of one packet to the asker.
    let mtuBytes: Int
    /// Finds the answer.
    var thinking: Task<Void, Never>?
    /// Waits no longer than allowed.
    var limit: Task<Void, Never>?
    /// The answer is on its way.
    var isBeingAnswered = false

    init(id: Int, question: Question, asker: Asker, way: Way, mtuBytes: Int) {
        self.id = id
        self.question = question
        self.asker = asker
        self.way = way
        self.mtuBytes = mtuBytes
    }

    /// The tag of an inquiry; `nil` on the plain pair.
    var tag: InquiryTag? {
        guard case .inquiry(let tag) = way else { return nil }
        return tag
    }

    /// Nobody thinks about it any more.
    func cancel() {
        thinking?.cancel()
        limit?.cancel()
    }
}
