public import BLE

/// A ball, as an asker sees it.
///
/// ```swift
/// let question = try Question("Will it rain?")
/// await ball.sendQuestion(question)
/// ```
public protocol PeripheralDevice: Device {
    /// How loud the ball was heard last; `nil` once it is lost.
    var rssi: RSSI? { get async }

    /// How loud the ball is heard, smoothed over its sightings; `nil` once it is lost.
    ///
    /// The first sighting counts in full; each later one moves the mean by a quarter of its
    /// distance.
    var smoothedRSSI: RSSI? { get async }

    /// Whether the ball is near enough: in ``Central/rssiWindow``, as smoothed; `false` once it is
    /// lost.
    ///
    /// A ball that was in range is out of it only when it is more than 6 dB outside of the window. It
    /// can be asked all the same.
    var isInRange: Bool { get async }

    /// When the ball was heard last; `nil` once it is lost. A ball with a link may be silent.
    var lastHeard: ContinuousClock.Instant? { get async }

    /// Whether there is a link to the ball.
    var isConnected: Bool { get async }

    /// The last question that the ball has accepted; `nil` while a newer one is on its way.
    var question: Question? { get async }

    /// The ball's answer to ``question``; `nil` until it has come.
    var answer: Answer? { get async }

    /// Asks the ball a question, and returns before it is answered.
    ///
    /// Observers hear what comes of it: ``CentralObserver/central(_:didAsk:of:)`` and
    /// ``CentralObserver/central(_:didReceive:to:from:)``, or
    /// ``CentralObserver/central(_:didFailToAsk:of:because:)``. To wait for the answer use
    /// ``Central/ask(_:of:)``.
    ///
    /// - Parameter question: what to ask.
    func sendQuestion(_ question: Question) async
}
