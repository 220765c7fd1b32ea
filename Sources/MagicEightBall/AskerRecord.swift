/// What a ball knows of an asker.
struct AskerRecord {
    let asker: Asker
    /// Why its questions are refused; `nil` while they are not.
    var rejection: RejectionReason?

    var question: Question?
    var answer: Answer?
    var error: EightBallError?

    /// What a read in several parts is served from: the answer as it was at the first part.
    var snapshot: [UInt8] = []

    init(_ asker: Asker) {
        self.asker = asker
    }
}
