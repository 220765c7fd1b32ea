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

    /// Connects to the ball, and holds the connection.
    ///
    /// Returns at once when there is a connection already. A question needs no connection made before: it
    /// makes its own, and is sent sooner when there is one. Until ``disconnect()`` the connection is neither ended
    /// after ``Timeouts/idleLink`` nor to make room for another ball; each one holds a place of the few
    /// that a controller has. One that the ball ends is made again by the next question or call only,
    /// and held then, too. Questions that are sent meanwhile wait for the connection.
    ///
    /// Observers are told ``CentralObserver/central(_:didConnect:)``.
    ///
    /// - Throws: ``EightBallError`` with ``EightBallError/Code/deviceOffline`` when the ball is lost, or
    ///   cannot be reached; ``EightBallError/Code/timedOut(_:)`` after ``Timeouts/connection`` or
    ///   ``Timeouts/resolution``; ``EightBallError/Code/radioBusy`` when the controller has no more
    ///   connections and none is idle; ``EightBallError/Code/cancelled`` after ``disconnect()``;
    ///   ``EightBallError/Code/rejected(_:)`` after ``EightBallDevice/rejectConnection(because:)``;
    ///   ``EightBallError/Code/stopped``, or the radio's failure; `CancellationError`.
    func connect() async throws

    /// Holds the connection no longer, and ends it as soon as no question needs it.
    ///
    /// Also one that was not held. Questions under way go on, and so does the connection until the last one has
    /// ended; to end those too use ``EightBallDevice/rejectConnection(because:)``. Observers are told
    /// ``CentralObserver/central(_:didDisconnect:because:)``, without an error.
    func disconnect() async

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
