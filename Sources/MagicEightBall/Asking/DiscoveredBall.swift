internal import BLE

/// A ball that an ``EightBallCentral`` has discovered.
///
/// It refers to what the central knows of the ball; copies refer to the same ball.
struct DiscoveredBall: BallDevice {
    let id: PeerID

    /// The name at the sighting of which this value was made.
    let name: String
    let address: BluetoothAddress?

    private let central: EightBallCentral

    init(_ sighting: Sighting, central: EightBallCentral) {
        id = sighting.peer
        name = sighting.name
        address = sighting.address
        self.central = central
    }

    var snapshot: BallSnapshot? {
        get async { await central.snapshot(of: id) }
    }

    var rssi: RSSI? {
        get async { await snapshot?.rssi }
    }

    var smoothedRSSI: RSSI? {
        get async { await snapshot?.smoothedRSSI }
    }

    var isInRange: Bool {
        get async { await snapshot?.isInRange ?? false }
    }

    var lastSeen: ContinuousClock.Instant? {
        get async { await snapshot?.lastSeen }
    }

    var isConnected: Bool {
        get async { await snapshot?.isConnected ?? false }
    }

    var question: Question? {
        get async { await snapshot?.question }
    }

    var answer: Answer? {
        get async { await snapshot?.answer }
    }

    var error: EightBallError? {
        get async { await snapshot?.error }
    }

    func connect() async throws {
        try await central.connect(to: self)
    }

    func disconnect() async {
        await central.disconnect(from: id)
    }

    func sendQuestion(_ question: Question) async {
        await central.begin(question, of: self, as: central.nextNumber(), outcome: nil)
    }

    func rejectConnection(because reason: RejectionReason) async {
        await central.reject(id, because: reason)
    }
}

extension DiscoveredBall: Hashable {
    static func == (lhs: DiscoveredBall, rhs: DiscoveredBall) -> Bool {
        lhs.id == rhs.id
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}
