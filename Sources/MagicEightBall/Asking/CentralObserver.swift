public import BLE

/// An object that is told the events of an ``AskingCentral``.
///
/// Each event is one callback; see ``CentralEvent``. Callbacks come one at a time, in the order of the
/// events; the next one waits until this one has returned. Those of an actor, or of a `@MainActor`
/// class, run there; others on no particular thread. Inside a callback everything is allowed: to add
/// and remove observers, to ask, to stop. All callbacks have an empty default implementation.
///
/// A question that was begun ends with exactly one of ``central(_:didReceive:to:from:)`` and
/// ``central(_:didFailToAsk:of:because:)``.
public protocol CentralObserver: AnyObject, Sendable {
    /// The radio's state changed.
    ///
    /// - Parameters:
    ///   - central: the central.
    ///   - state: the new state.
    func central(_ central: any AskingCentral, radioDidBecome state: RadioState) async

    /// A ball was discovered: seen with a name, and at a signal strength within
    /// ``AskingCentral/rssiWindow``.
    ///
    /// - Parameters:
    ///   - central: the central.
    ///   - device: the ball, now among ``AskingCentral/devices``.
    func central(_ central: any AskingCentral, didDiscover device: any BallDevice) async

    /// A ball's signal strength, range or name changed.
    ///
    /// Its smoothed strength moved by 3 dB or more since the last change, it came into range or went out
    /// of it, or it has another name.
    ///
    /// - Parameters:
    ///   - central: the central.
    ///   - device: the ball, with its present name.
    func central(_ central: any AskingCentral, didChange device: any BallDevice) async

    /// A ball was lost: not seen for ``Timeouts/loss``, forgotten by the system, or the radio went off.
    ///
    /// - Parameters:
    ///   - central: the central.
    ///   - device: the ball, no longer among ``AskingCentral/devices``. When it is seen again, it is
    ///     discovered again.
    func central(_ central: any AskingCentral, didLose device: any BallDevice) async

    /// A connection to a ball was made.
    ///
    /// - Parameters:
    ///   - central: the central.
    ///   - device: the ball.
    func central(_ central: any AskingCentral, didConnect device: any BallDevice) async

    /// The connection to a ball ended.
    ///
    /// - Parameters:
    ///   - central: the central.
    ///   - device: the ball.
    ///   - error: why; now also ``EightBallSDK/error``. `nil` when it was ended here without a reason, as
    ///     after ``Timeouts/idleLink``.
    func central(
        _ central: any AskingCentral,
        didDisconnect device: any BallDevice,
        because error: EightBallError?
    ) async

    /// A ball has accepted a question; the answer comes later.
    ///
    /// - Parameters:
    ///   - central: the central.
    ///   - question: what it was asked.
    ///   - device: the ball.
    func central(
        _ central: any AskingCentral,
        didAsk question: Question,
        of device: any BallDevice
    ) async

    /// A ball has answered a question.
    ///
    /// - Parameters:
    ///   - central: the central.
    ///   - answer: the answer.
    ///   - question: what it was asked.
    ///   - device: the ball.
    func central(
        _ central: any AskingCentral,
        didReceive answer: Answer,
        to question: Question,
        from device: any BallDevice
    ) async

    /// A question ended without an answer.
    ///
    /// - Parameters:
    ///   - central: the central.
    ///   - question: what was asked, or was to be asked.
    ///   - device: the ball.
    ///   - error: why; now also ``EightBallSDK/error`` and ``EightBallDevice/error``.
    func central(
        _ central: any AskingCentral,
        didFailToAsk question: Question,
        of device: any BallDevice,
        because error: EightBallError
    ) async

    /// Something failed that is no question: the radio, in which case the SDK goes on when it can; a
    /// ball that takes its service back while it is asked nothing (``EightBallError/Code/deviceOffline``);
    /// or events were dropped (``EightBallError/Code/overflow``).
    ///
    /// - Parameters:
    ///   - central: the central.
    ///   - error: what failed, and why; now also ``EightBallSDK/error``.
    func central(_ central: any AskingCentral, didFail error: EightBallError) async
}

extension CentralObserver {
    /// Does nothing.
    public func central(_ central: any AskingCentral, radioDidBecome state: RadioState) async {}

    /// Does nothing.
    public func central(_ central: any AskingCentral, didDiscover device: any BallDevice) async {}

    /// Does nothing.
    public func central(_ central: any AskingCentral, didChange device: any BallDevice) async {}

    /// Does nothing.
    public func central(_ central: any AskingCentral, didLose device: any BallDevice) async {}

    /// Does nothing.
    public func central(_ central: any AskingCentral, didConnect device: any BallDevice) async {}

    /// Does nothing.
    public func central(
        _ central: any AskingCentral,
        didDisconnect device: any BallDevice,
        because error: EightBallError?
    ) async {}

    /// Does nothing.
    public func central(
        _ central: any AskingCentral,
        didAsk question: Question,
        of device: any BallDevice
    ) async {}

    /// Does nothing.
    public func central(
        _ central: any AskingCentral,
        didReceive answer: Answer,
        to question: Question,
        from device: any BallDevice
    ) async {}

    /// Does nothing.
    public func central(
        _ central: any AskingCentral,
        didFailToAsk question: Question,
        of device: any BallDevice,
        because error: EightBallError
    ) async {}

    /// Does nothing.
    public func central(_ central: any AskingCentral, didFail error: EightBallError) async {}
}
