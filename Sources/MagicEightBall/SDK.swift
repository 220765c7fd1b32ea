public import BLE

/// What asking and answering have in common: ``Central`` and ``Peripheral``.
///
/// An SDK does nothing until ``start()``, and leaves nothing behind after ``stop()``. It may be
/// started again.
public protocol SDK: AnyObject, Sendable {
    /// The last failure that observers were told; `nil` before the first, and after ``start()``.
    var error: EightBallError? { get async }

    /// Whether the radio can be used, now.
    var radioState: RadioState { get async }

    /// Begins to use the radio: a central looks for balls, a peripheral shows itself as one.
    ///
    /// When the radio goes off or away later, observers are told; when it is back, the SDK goes on
    /// by itself. When the radio is closed for good, observers are told
    /// ``EightBallError/Code/stopped``, and the SDK stops. Starting what has been started does nothing;
    /// a call while another one is under way returns at once, and only the other one is told what came
    /// of it.
    ///
    /// - Throws: ``EightBallError`` when the radio cannot do it now, with the codes
    ///   ``EightBallError/Code/radioOff``, ``EightBallError/Code/radioAbsent``,
    ///   ``EightBallError/Code/noService``, ``EightBallError/Code/notPermitted``,
    ///   ``EightBallError/Code/timedOut(_:)`` or ``EightBallError/Code/failed``;
    ///   `CancellationError`. Then nothing has been started, and observers hear nothing.
    func start() async throws

    /// Ends everything that ``start()`` began: scan, links, service and advertisement.
    ///
    /// Questions that are under way end with ``EightBallError/Code/stopped``. A link may take the
    /// system seconds to end; this returns when the system has the request. Stopping what has not
    /// been started does nothing.
    func stop() async
}
