/// What a ball knows of an asker.
struct AskerRecord {
    let asker: Asker
    /// Why its questions are refused; `nil` while they are not.
    var rejection: RejectionReason?
    /// The most bytes of one packet, as its last request had it.
    var mtuBytes: Int?

    var question: Question?
    var answer: Answer?
    var error: EightBallError?

    /// What waits to be read by it.
    var reply: PendingReply?

    /// What a read in several parts is served from: the value as it was at the first part.
    var answerSnapshot: [UInt8] = []
    var replySnapshot: [UInt8] = []

    init(_ asker: Asker) {
        self.asker = asker
    }
}
