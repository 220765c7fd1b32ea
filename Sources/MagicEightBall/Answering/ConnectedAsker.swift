internal import BLE

/// An asker that is connected to an ``EightBallPeripheral``.
///
/// It is a name for what the ball knows of the asker; copies speak of the same asker.
struct ConnectedAsker: AskerDevice {
    /// The identity of this asker, for as long as the radio runs.
    let id: PeerID

    private let ball: EightBallPeripheral

    init(id: PeerID, ball: EightBallPeripheral) {
        self.id = id
        self.ball = ball
    }

    /// Empty: an asker has no name.
    var name: String { "" }

    /// The asker's address, as far as the radio knows one.
    var address: BluetoothAddress? { BluetoothAddress(id.rawValue) }

    /// Whether the asker is connected.
    var isConnected: Bool {
        get async { await ball.record(of: id) != nil }
    }

    /// Whether the asker has subscribed to answers; `nil` when that cannot be known.
    var isSubscribed: Bool? {
        get async { await ball.isSubscribed(id) }
    }

    /// The most bytes of one ATT packet to the asker; `nil` before its first request.
    var mtuBytes: Int? {
        get async { await ball.record(of: id)?.mtuBytes }
    }

    /// The last question of this asker that the ball has accepted.
    var question: Question? {
        get async { await ball.record(of: id)?.question }
    }

    /// The last answer that was sent to this asker, or notified as ready to be read.
    var answer: Answer? {
        get async { await ball.record(of: id)?.answer }
    }

    /// Why this asker's last question stayed without an answer; `nil` when it did not.
    var error: EightBallError? {
        get async { await ball.record(of: id)?.error }
    }

    /// Answers a question of this asker.
    ///
    /// - Parameters:
    ///   - answer: what to answer.
    ///   - question: what was asked.
    /// - Throws: ``EightBallError``; see ``AskerDevice/sendAnswer(_:to:)``.
    func sendAnswer(_ answer: Answer, to question: Question) async throws {
        try await ball.send(answer, to: question, of: id)
    }

    /// Refuses a question of this asker that the ball has accepted.
    ///
    /// - Parameters:
    ///   - question: what was asked.
    ///   - reason: why there is no answer.
    /// - Throws: ``EightBallError``; see ``AskerDevice/refuse(_:because:)``.
    func refuse(_ question: Question, because reason: RejectionReason) async throws {
        try await ball.refuse(question, of: id, because: reason)
    }

    /// Refuses each question of this asker, then ends its link.
    ///
    /// What it has asked already is refused too, as by ``refuse(_:because:)``. The link is ended once
    /// that was read, or after ``Timeouts/closing``.
    ///
    /// - Parameter reason: the reason that the asker gets.
    func rejectConnection(because reason: RejectionReason) async {
        await ball.reject(id, because: reason)
    }
}

extension ConnectedAsker: Hashable {
    /// Whether both are the same asker.
    static func == (lhs: ConnectedAsker, rhs: ConnectedAsker) -> Bool {
        lhs.id == rhs.id
    }

    /// Adds the asker's identity.
    func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}
