/// What came of an inquiry, until its asker has read it.
struct PendingReply {
    /// The number of the question.
    let id: Int
    let tag: InquiryTag
    let question: Question
    /// `nil` when the question was refused.
    let answer: Answer?
    /// What is read.
    let bytes: [UInt8]
    /// Ends its wait.
    var task: Task<Void, Never>?

    /// The reply to a question.
    init(to pending: PendingQuestion, tag: InquiryTag, _ outcome: Reply.Outcome, answer: Answer?) {
        id = pending.id
        self.tag = tag
        question = pending.question
        self.answer = answer
        bytes = Reply.outcome(tag, outcome).bytes
    }
}
