/// An ``AnswerSource`` throws a reason to refuse a question.
extension RejectionReason: Error {}
