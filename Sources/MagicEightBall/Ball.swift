public import BLE

/// A ball that an ``EightBallCentral`` has discovered.
///
/// It is a name for what the central knows of the ball; copies speak of the same ball.
public struct Ball: PeripheralDevice {
    /// What tells this ball from others, for as long as the radio runs.
    public let id: PeerID

    /// The name under which the ball was heard when this value was made.
    public let name: String

    private let central: EightBallCentral

    init(id: PeerID, name: String, central: EightBallCentral) {
        self.id = id
        self.name = name
        self.central = central
    }

    /// How loud the ball was heard last; `nil` once it is lost.
    public var rssi: RSSI? {
        get async { await central.record(of: id)?.presence.rssi }
    }

    /// How loud the ball is heard, smoothed over its sightings; `nil` once it is lost.
    public var smoothedRSSI: RSSI? {
        get async { await central.record(of: id)?.presence.smoothedRSSI }
    }

    /// Whether the ball is as loud as the window wants it, or not more than 6 dB off; `false` once it
    /// is lost.
    public var isInRange: Bool {
        get async { await central.record(of: id)?.presence.isInRange ?? false }
    }

    /// When the ball was heard last; `nil` once it is lost.
    public var lastHeard: ContinuousClock.Instant? {
        get async { await central.record(of: id)?.presence.lastHeard }
    }

    /// Whether there is a link to the ball.
    public var isConnected: Bool {
        get async { await central.record(of: id)?.link != nil }
    }

    /// The last question that the ball has accepted; `nil` while a newer one is on its way.
    public var question: Question? {
        get async { await central.record(of: id)?.question }
    }

    /// The ball's answer to ``question``; `nil` until it has come.
    public var answer: Answer? {
        get async { await central.record(of: id)?.answer }
    }

    /// Why the last question came to nothing; `nil` when it did not, or is under way.
    public var error: EightBallError? {
        get async { await central.record(of: id)?.error }
    }

    /// Asks the ball a question, and returns before it is answered.
    ///
    /// - Parameter question: what to ask.
    public func sendQuestion(_ question: Question) async {
        await central.begin(question, of: self, outcome: nil)
    }

    /// Ends the questions to the ball, also those that wait, and the link.
    ///
    /// - Parameter reason: what the observers are told.
    public func rejectConnection(because reason: RejectionReason) async {
        await central.reject(id, because: reason)
    }
}

extension Ball: Hashable {
    /// Whether both are the same ball.
    public static func == (lhs: Ball, rhs: Ball) -> Bool {
        lhs.id == rhs.id
    }

    /// Adds the ball's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}
