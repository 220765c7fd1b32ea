public import BLE

/// An SDK that asks: it finds balls, asks them questions and receives their answers.
///
/// ```swift
/// let central = EightBallCentral(radio: radio)
/// try await central.start()
/// let ball = try await central.discoverDevice { _ in true }
/// await central.stopScanning()
/// let answer = try await central.ask(Question("Will it rain?"), of: ball)
/// await central.stop()
/// ```
public protocol Central: SDK {
    /// The balls that can be asked, in the order in which they were discovered.
    var devices: [any PeripheralDevice] { get async }

    /// How loud a ball must be heard to be discovered.
    ///
    /// Each sighting is judged anew: a ball that comes near is discovered then.
    var rssiWindow: ClosedRange<RSSI> { get async }

    /// Sets how loud a ball must be heard to be discovered.
    ///
    /// - Parameter window: the strengths, from the next sighting on. Balls that have been
    ///   discovered stay.
    func setRSSIWindow(_ window: ClosedRange<RSSI>) async

    /// Waits for a ball.
    ///
    /// - Parameter isWanted: whether a ball will do. It is called once for each ball, with those
    ///   first that are known already.
    /// - Returns: the first ball that will do.
    /// - Throws: ``EightBallError`` with ``EightBallError/Code/noBallFound`` when none has come
    ///   within ``Timeouts/discovery``, with ``EightBallError/Code/stopped`` when the SDK was
    ///   stopped or not started, or the radio's failure; `CancellationError`.
    func discoverDevice(
        where isWanted: @escaping @Sendable (any PeripheralDevice) -> Bool
    ) async throws -> any PeripheralDevice

    /// Looks for no more balls, until the SDK is stopped and started again.
    ///
    /// Balls that are known stay, and can be asked. A radio that need not listen connects sooner.
    func stopScanning() async

    /// Asks a ball a question, and waits for the answer.
    ///
    /// Questions to one ball are sent one after the other, in the order of the calls; different balls
    /// are asked at once. Connects if there is no link, subscribes to the answer, writes the
    /// question, and waits for the answer. With a ball that has the private pair nobody else can read
    /// the answer, else every asker that has subscribed is told it. The link stays for
    /// ``Timeouts/idleLink``, or until the ball ends it.
    ///
    /// Observers hear the same as with ``PeripheralDevice/sendQuestion(_:)``. A cancelled call ends
    /// at once; observers are told ``EightBallError/Code/cancelled``.
    ///
    /// - Parameters:
    ///   - question: what to ask.
    ///   - device: a ball that this SDK has discovered.
    /// - Returns: the answer.
    /// - Throws: ``EightBallError`` with ``EightBallError/Code/rejected(_:)`` when the ball refuses
    ///   the question, when too many questions to it wait here (``RejectionReason/deviceBusy``), or
    ///   after ``Device/rejectConnection(because:)``; ``EightBallError/Code/deviceOffline`` when
    ///   the ball is unknown, lost, or takes its service back; ``EightBallError/Code/timedOut(_:)``
    ///   when one of the limits in ``Timeouts`` is over; ``EightBallError/Code/radioBusy`` when the
    ///   controller has no more links and none is idle;
    ///   ``EightBallError/Code/protocolViolation`` for an answer that is no text;
    ///   ``EightBallError/Code/stopped``; `CancellationError`.
    func ask(_ question: Question, of device: any PeripheralDevice) async throws -> Answer

    /// Lets an observer hear what happens, from the next happening on.
    ///
    /// - Parameter observer: who is to hear. It is held weakly. Who observes already is not added
    ///   again.
    func addObserver(_ observer: any CentralObserver) async

    /// Lets an observer hear nothing more, not even of what has happened but has not been told.
    ///
    /// - Parameter observer: who has heard enough. Who does not observe is no mistake.
    func removeObserver(_ observer: any CentralObserver) async

    /// Whether an observer hears what happens.
    ///
    /// - Parameter observer: who is meant.
    /// - Returns: whether it was added and not removed.
    func isObserving(_ observer: any CentralObserver) async -> Bool
}
