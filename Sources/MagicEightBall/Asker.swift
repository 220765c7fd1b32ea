public import BLE

/// An asker that is connected to an ``EightBallPeripheral``.
///
/// It is a name for what the ball knows of the asker; copies speak of the same asker.
public struct Asker: CentralDevice {
    /// What tells this asker from others, for as long as the radio runs.
    public let id: PeerID

    private let ball: EightBallPeripheral

    init(id: PeerID, ball: EightBallPeripheral) {
        self.id = id
        self.ball = ball
    }

    /// Empty: an asker tells no name.
    public var name: String { "" }

    /// The asker's address, as far as the radio knows one.
    public var address: BluetoothAddress? { BluetoothAddress(id.rawValue) }

    /// Whether the asker's link is there.
    public var isConnected: Bool {
        get async { await ball.record(of: id) != nil }
    }

    /// Whether the asker is told answers; `nil` when that cannot be known.
    public var isSubscribed: Bool? {
        get async { await ball.isSubscribed(id) }
    }

    /// The most bytes of one ATT packet to the asker; `nil` before its first request.
    public var mtuBytes: Int? {
        get async { await ball.record(of: id)?.mtuBytes }
    }

    /// The last question of this asker that the ball has accepted.
    public var question: Question? {
        get async { await ball.record(of: id)?.question }
    }

    /// The last answer that this asker was sent, or was told to be ready.
    public var answer: Answer? {
        get async { await ball.record(of: id)?.answer }
    }

    /// Why this asker's last question stayed without an answer; `nil` when it did not.
    public var error: EightBallError? {
        get async { await ball.record(of: id)?.error }
    }

    /// Answers a question of this asker.
    ///
    /// - Parameters:
    ///   - answer: what to answer.
    ///   - question: what was asked.
    /// - Throws: ``EightBallError``; see ``CentralDevice/sendAnswer(_:to:)``.
    public func sendAnswer(_ answer: Answer, to question: Question) async throws {
        try await ball.send(answer, to: question, of: id)
    }

    /// Refuses a question of this asker that the ball has accepted.
    ///
    /// - Parameters:
    ///   - question: what was asked.
    ///   - reason: why there is no answer.
    /// - Throws: ``EightBallError``; see ``CentralDevice/refuse(_:because:)``.
    public func refuse(_ question: Question, because reason: RejectionReason) async throws {
        try await ball.refuse(question, of: id, because: reason)
    }

    /// Refuses each question of this asker until it has disconnected.
    ///
    /// What it has asked already is refused too, as by ``refuse(_:because:)``.
    ///
    /// - Parameter reason: what the asker is told.
    public func rejectConnection(because reason: RejectionReason) async {
        await ball.reject(id, because: reason)
    }
}

extension Asker: Hashable {
    /// Whether both are the same asker.
    public static func == (lhs: Asker, rhs: Asker) -> Bool {
        lhs.id == rhs.id
    }

    /// Adds the asker's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}
