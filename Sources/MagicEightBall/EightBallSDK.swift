public import BLE

/// What both roles have in common: ``AskingCentral`` and ``AnsweringPeripheral``.
///
/// An SDK does nothing until ``start()``, and leaves nothing behind after ``stop()``. It may be
/// started again. In a program that only asks, or only answers, ``run()`` does both:
///
/// ```swift
/// let ball = EightBallPeripheral(radio: radio, name: "Oracle")
/// try await ball.run()
/// ```
public protocol EightBallSDK: AnyObject, Sendable {
    /// The last error that observers were told; `nil` before the first, and after ``start()``.
    var error: EightBallError? { get async }

    /// The radio's present state.
    var radioState: RadioState { get async }

    /// Begins to use the radio: a central scans for balls, a peripheral advertises as one.
    ///
    /// When the radio goes off or away later, observers are told; when it is back, the SDK goes on
    /// by itself. When the radio is closed for good, observers are told
    /// ``EightBallError/Code/stopped``, and the SDK stops. Starting what has been started does nothing;
    /// a call while another one is under way returns at once, and only the other one throws if it
    /// fails. A peripheral that is being stopped is started once that has ended.
    ///
    /// - Throws: ``EightBallError`` when the radio cannot do it now, with the codes
    ///   ``EightBallError/Code/radioOff``, ``EightBallError/Code/radioAbsent``,
    ///   ``EightBallError/Code/noService``, ``EightBallError/Code/notPermitted``,
    ///   ``EightBallError/Code/timedOut(_:)`` or ``EightBallError/Code/failed``;
    ///   `CancellationError`. Then nothing has been started, and observers are told nothing.
    func start() async throws

    /// Waits until the radio is on, then begins to use it; for a program that starts with the machine.
    ///
    /// - Parameter limit: how long to wait for the radio. When it is not on by then, this is
    ///   ``start()``, which says why.
    /// - Throws: as ``start()``; with ``EightBallError/Code/stopped`` when ``stop()`` was called meanwhile.
    func start(waitingUpTo limit: Duration) async throws

    /// Ends everything that ``start()`` began: scan, connections, service and advertisement.
    ///
    /// Questions that are under way end with ``EightBallError/Code/stopped``. A connection may take the
    /// system seconds to end; this returns when the system has the request, also when another call
    /// does the same. Stopping what has not been started does nothing, but that calls which wait for the radio do not start it
    /// any more.
    func stop() async

    /// Waits until the radio is on, starts, and stops when the task is cancelled.
    ///
    /// Returns also when ``stop()`` is called, be it before it was started. It has no limit but its task: while the radio is off or
    /// absent it waits. With this method both roles fulfil the protocol `Service` of
    /// swift-service-lifecycle, in one line: `extension EightBallPeripheral: @retroactive Service {}`.
    ///
    /// - Throws: ``EightBallError`` when it could not be started, see ``start()``, or with
    ///   ``EightBallError/Code/stopped`` when the radio was closed for good.
    func run() async throws
}
