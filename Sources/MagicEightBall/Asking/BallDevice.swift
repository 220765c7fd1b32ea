public import BLE

/// A ball, as an asker sees it.
///
/// ```swift
/// let question = try Question("Will it rain?")
/// await ball.sendQuestion(question)
/// ```
public protocol BallDevice: EightBallDevice {
    /// The ball's address; `nil` when the radio does not know it.
    ///
    /// A ball may change its address, and is another device then, with another ``EightBallDevice/id``.
    var address: BluetoothAddress? { get }

    /// The signal strength at the last sighting; `nil` once the ball is lost.
    var rssi: RSSI? { get async }

    /// The signal strength, smoothed over the sightings; `nil` once the ball is lost.
    ///
    /// The first sighting counts in full; each later one moves the mean by a quarter of its
    /// distance.
    var smoothedRSSI: RSSI? { get async }

    /// Whether the smoothed signal strength is in ``AskingCentral/rssiWindow``; `false` once the ball is
    /// lost.
    ///
    /// A ball that was in range is out of it only when it is more than 6 dB outside of the window. It
    /// can be asked all the same.
    var isInRange: Bool { get async }

    /// The time of the last sighting; `nil` once the ball is lost. A connected ball need not advertise.
    var lastSeen: ContinuousClock.Instant? { get async }

    /// Whether there is a connection to the ball.
    var isConnected: Bool { get async }

    /// The last question that the ball has accepted; `nil` while a newer one is on its way.
    var question: Question? { get async }

    /// The ball's answer to ``question``; `nil` until it was received.
    var answer: Answer? { get async }

    /// All that is known of the ball at one moment; `nil` once it is lost.
    var snapshot: BallSnapshot? { get async }

    /// Asks the ball a question, and returns before it is answered.
    ///
    /// Observers are told of the outcome: ``CentralObserver/central(_:didAsk:of:)`` and
    /// ``CentralObserver/central(_:didReceive:to:from:)``, or
    /// ``CentralObserver/central(_:didFailToAsk:of:because:)``. To wait for the answer use
    /// ``AskingCentral/ask(_:of:)``.
    ///
    /// - Parameter question: what to ask.
    func sendQuestion(_ question: Question) async
}
