public import BLE

/// An SDK that asks: it discovers balls, asks them questions and receives their answers.
///
/// ```swift
/// let central = EightBallCentral(radio: radio)
/// try await central.start()
/// let ball = try await central.discoverDevice { _ in true }
/// await central.stopScanning()
/// let answer = try await central.ask(Question("Will it rain?"), of: ball)
/// await central.stop()
/// ```
public protocol AskingCentral: EightBallSDK {
    /// The balls that can be asked, in the order in which they were discovered.
    var devices: [any BallDevice] { get async }

    /// All that is known of the balls at this moment, in the order in which they were discovered.
    var snapshots: [BallSnapshot] { get async }

    /// The signal strengths at which a ball is discovered.
    ///
    /// Each sighting counts: a ball that comes near is discovered then.
    var rssiWindow: ClosedRange<RSSI> { get async }

    /// Sets the signal strengths at which a ball is discovered.
    ///
    /// - Parameter window: the strengths, from the next sighting on. Balls that have been
    ///   discovered stay.
    func setRSSIWindow(_ window: ClosedRange<RSSI>) async

    /// Waits for a ball.
    ///
    /// - Parameter isWanted: whether a ball will do. It is called once for each ball, with those
    ///   first that are known already, and again for one that has got another name.
    /// - Returns: the first ball that will do.
    /// - Throws: ``EightBallError`` with ``EightBallError/Code/noBallFound`` when there was none
    ///   within ``Timeouts/discovery``, with ``EightBallError/Code/stopped`` when the SDK was
    ///   stopped or not started, or the radio's failure; `CancellationError`.
    func discoverDevice(
        where isWanted: @escaping @Sendable (any BallDevice) -> Bool
    ) async throws -> any BallDevice

    /// The balls that are known already, then each one when it is discovered, and again when it has got another name.
    ///
    /// ```swift
    /// for try await ball in await central.discoveries(for: .seconds(10)) {
    ///     print(ball.name)
    /// }
    /// ```
    ///
    /// - Parameter limit: how long to look; `nil` for as long as the SDK runs.
    /// - Returns: the balls, for one consumer. A ball that was lost and is discovered again comes
    ///   again. The stream throws ``EightBallError`` when the radio fails, with
    ///   ``EightBallError/Code/stopped`` when the SDK is stopped or not started, and with
    ///   ``EightBallError/Code/overflow`` when more than 1024 balls wait for the consumer.
    func discoveries(
        for limit: Duration?
    ) async -> AsyncThrowingStream<any BallDevice, any Error>

    /// Discovers no more balls, until the SDK is stopped and started again.
    ///
    /// Balls that are known stay, and can be asked. A radio that need not scan connects sooner.
    func stopScanning() async

    /// Asks a ball a question, and waits for the answer.
    ///
    /// Questions to one ball are sent one after the other, in the order of the calls; different balls
    /// are asked at once. Connects if there is no connection, subscribes to the answer, writes the
    /// question, and waits for the answer. With a ball that has the private pair nobody else can read
    /// the answer, else every asker that has subscribed receives it. The connection is kept for
    /// ``Timeouts/idleLink``, or until the ball ends it.
    ///
    /// Observers are told the same as with ``BallDevice/sendQuestion(_:)``. A cancelled call ends
    /// at once; observers are told ``EightBallError/Code/cancelled``.
    ///
    /// - Parameters:
    ///   - question: what to ask.
    ///   - device: a ball that this SDK has discovered.
    /// - Returns: the answer.
    /// - Throws: ``EightBallError`` with ``EightBallError/Code/rejected(_:)`` when the ball refuses
    ///   the question, when too many questions to it wait here (``RejectionReason/deviceBusy``), or
    ///   after ``EightBallDevice/rejectConnection(because:)``; ``EightBallError/Code/deviceOffline`` when
    ///   the ball is unknown, lost, or takes its service back; ``EightBallError/Code/timedOut(_:)``
    ///   when one of the limits in ``Timeouts`` is over; ``EightBallError/Code/radioBusy`` when the
    ///   controller has no more connections and none is idle;
    ///   ``EightBallError/Code/protocolViolation`` for an answer that is no text;
    ///   ``EightBallError/Code/stopped``; `CancellationError`.
    func ask(_ question: Question, of device: any BallDevice) async throws -> Answer

    /// The events from now on, for one consumer; each read of this property gives a stream of its own.
    ///
    /// Streams and observers get the same events in the same order. A stream keeps 4096 events for a
    /// consumer that takes long; those beyond are dropped, and the consumer gets
    /// ``CentralEvent/failed(_:)`` with ``EightBallError/Code/overflow``. A stream goes on over
    /// ``EightBallSDK/stop()`` and ``EightBallSDK/start()``. It ends when its task is cancelled, and
    /// when the SDK has been deallocated.
    var events: AsyncStream<CentralEvent> { get async }

    /// Adds an observer; it is told the events from now on.
    ///
    /// - Parameter observer: the observer, held weakly. One that is there already is not added again.
    func addObserver(_ observer: any CentralObserver) async

    /// Removes an observer; it is told nothing more, not even events that it has not been told yet.
    ///
    /// - Parameter observer: the observer. Nothing happens when it is not there.
    func removeObserver(_ observer: any CentralObserver) async

    /// Whether an observer is told events.
    ///
    /// - Parameter observer: the observer.
    /// - Returns: whether it was added and not removed.
    func isObserving(_ observer: any CentralObserver) async -> Bool
}

extension AskingCentral {
    /// The balls that are known already, then each one when it is discovered, as long as the SDK runs.
    ///
    /// - Returns: the balls, for one consumer; see ``discoveries(for:)``.
    public func discoveries() async -> AsyncThrowingStream<any BallDevice, any Error> {
        await discoveries(for: nil)
    }
}
