public import BLE
internal import BLESession

/// What a central knows of a ball at one moment.
///
/// ```swift
/// let nearest = await central.snapshots.max { $0.smoothedRSSI < $1.smoothedRSSI }
/// if let nearest { print(try await central.ask(question, of: nearest.device)) }
/// ```
public struct BallSnapshot: Identifiable, Sendable {
    /// The ball.
    public let device: any BallDevice

    /// The signal strength at the last sighting.
    public let rssi: RSSI

    /// The signal strength, smoothed over the sightings; see ``BallDevice/smoothedRSSI``.
    public let smoothedRSSI: RSSI

    /// Whether the smoothed signal strength is in ``AskingCentral/rssiWindow``.
    public let isInRange: Bool

    /// The time of the last sighting.
    public let lastSeen: ContinuousClock.Instant

    /// Whether there is a connection to the ball.
    public let isConnected: Bool

    /// The last question that the ball has accepted; `nil` while a newer one is on its way.
    public let question: Question?

    /// The ball's answer to ``question``; `nil` until it was received.
    public let answer: Answer?

    /// Why the last question or the connection failed; see ``EightBallDevice/error``.
    public let error: EightBallError?

    /// What is known of a ball.
    ///
    /// - Parameters:
    ///   - device: the ball.
    ///   - rssi: the signal strength at the last sighting.
    ///   - smoothedRSSI: the signal strength, smoothed; as the last one when left out.
    ///   - isInRange: whether it is in the window.
    ///   - lastSeen: the time of the last sighting.
    ///   - isConnected: whether there is a connection.
    ///   - question: the last question that the ball has accepted.
    ///   - answer: its answer.
    ///   - error: why the last question or the connection failed.
    public init(
        device: any BallDevice,
        rssi: RSSI,
        smoothedRSSI: RSSI? = nil,
        isInRange: Bool = true,
        lastSeen: ContinuousClock.Instant = .now,
        isConnected: Bool = false,
        question: Question? = nil,
        answer: Answer? = nil,
        error: EightBallError? = nil
    ) {
        self.device = device
        self.rssi = rssi
        self.smoothedRSSI = smoothedRSSI ?? rssi
        self.isInRange = isInRange
        self.lastSeen = lastSeen
        self.isConnected = isConnected
        self.question = question
        self.answer = answer
        self.error = error
    }

    /// The ball's ``EightBallDevice/id``.
    public var id: PeerID { device.id }

    /// The ball's ``EightBallDevice/name``.
    public var name: String { device.name }

    /// The ball's ``BallDevice/address``.
    public var address: BluetoothAddress? { device.address }
}

extension BallSnapshot {
    init(_ record: BallRecord, isConnected: Bool) {
        self.init(
            device: record.ball,
            rssi: record.presence.rssi,
            smoothedRSSI: record.presence.smoothedRSSI,
            isInRange: record.presence.isInRange,
            lastSeen: record.presence.lastSeen,
            isConnected: isConnected,
            question: record.question,
            answer: record.answer,
            error: record.error
        )
    }
}
