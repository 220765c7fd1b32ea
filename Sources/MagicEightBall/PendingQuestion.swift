/// The question that a ball is answering.
struct PendingQuestion {
    /// Tells a late answer from one to this question.
    let id: Int
    let question: Question
    let asker: Asker
    /// The most bytes of one packet to the asker.
    let mtuBytes: Int
    /// Finds the answer; then waits no longer than allowed.
    var thinking: Task<Void, Never>?
    /// The answer is on its way.
    var isBeingAnswered = false

    init(id: Int, question: Question, asker: Asker, mtuBytes: Int) {
        self.id = id
        self.question = question
        self.asker = asker
        self.mtuBytes = mtuBytes
    }
}
