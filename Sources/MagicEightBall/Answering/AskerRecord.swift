/// What a ball knows of an asker.
struct AskerRecord {
    let asker: ConnectedAsker
    /// Why its questions are refused; `nil` while they are not.
    var rejection: RejectionReason?
    /// The most bytes of one packet, as its last request had it.
    var mtuBytes: Int?

    var question: Question?
    var answer: Answer?
    var error: EightBallError?

    /// Which of the replies to it the next read gives.
    var replies = ReplyRotation()

    /// What a read in several parts is served from: the value as it was at the first part.
    var answerSnapshot: [UInt8] = []
    var replySnapshot: ReplySnapshot?

    init(_ asker: ConnectedAsker) {
        self.asker = asker
    }
}
