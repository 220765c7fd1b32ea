public import BLE

/// Who hears what happens to a ``Central``.
///
/// Callbacks come one at a time, in the order of the happenings, each once for each happening; the
/// next waits until this one has returned. They come on no particular thread: an observer that is
/// an actor, or bound to one, gets them there. Inside a callback everything is allowed: to add and
/// remove observers, to ask, to stop. All callbacks have an empty implementation.
///
/// A question that was begun ends with exactly one of ``central(_:didReceive:to:from:)`` and
/// ``central(_:didFailToAsk:of:because:)``.
public protocol CentralObserver: AnyObject, Sendable {
    /// The radio went on, off or away.
    ///
    /// - Parameters:
    ///   - central: who tells.
    ///   - state: what the radio can do from now on.
    func central(_ central: any Central, radioDidBecome state: RadioState) async

    /// A ball was heard that was not known, with a name and loud enough.
    ///
    /// - Parameters:
    ///   - central: who tells.
    ///   - device: the ball, now among ``Central/devices``.
    func central(_ central: any Central, didDiscover device: any PeripheralDevice) async

    /// A known ball is heard otherwise than it was told last.
    ///
    /// Its smoothed strength moved by 3 dB or more, it came into range or went out of it, or it has
    /// another name.
    ///
    /// - Parameters:
    ///   - central: who tells.
    ///   - device: the ball, with its present name.
    func central(_ central: any Central, didChange device: any PeripheralDevice) async

    /// A ball has not been heard for ``Timeouts/silence``, the system has forgotten it, or the radio
    /// went off.
    ///
    /// - Parameters:
    ///   - central: who tells.
    ///   - device: the ball, no longer among ``Central/devices``. When it is heard again, it is
    ///     discovered again.
    func central(_ central: any Central, didLose device: any PeripheralDevice) async

    /// There is a link to a ball.
    ///
    /// - Parameters:
    ///   - central: who tells.
    ///   - device: the ball.
    func central(_ central: any Central, didConnect device: any PeripheralDevice) async

    /// The link to a ball ended.
    ///
    /// - Parameters:
    ///   - central: who tells.
    ///   - device: the ball.
    ///   - error: why; `nil` when it was ended here without a reason, as when it was idle for long.
    func central(
        _ central: any Central,
        didDisconnect device: any PeripheralDevice,
        because error: EightBallError?
    ) async

    /// A ball has accepted a question; the answer comes later.
    ///
    /// - Parameters:
    ///   - central: who tells.
    ///   - question: what it was asked.
    ///   - device: the ball.
    func central(
        _ central: any Central,
        didAsk question: Question,
        of device: any PeripheralDevice
    ) async

    /// A ball has answered a question.
    ///
    /// - Parameters:
    ///   - central: who tells.
    ///   - answer: what it says.
    ///   - question: what it was asked.
    ///   - device: the ball.
    func central(
        _ central: any Central,
        didReceive answer: Answer,
        to question: Question,
        from device: any PeripheralDevice
    ) async

    /// A question came to nothing.
    ///
    /// - Parameters:
    ///   - central: who tells.
    ///   - question: what was asked, or was to be asked.
    ///   - device: the ball.
    ///   - error: why; now also ``SDK/error`` and ``Device/error``.
    func central(
        _ central: any Central,
        didFailToAsk question: Question,
        of device: any PeripheralDevice,
        because error: EightBallError
    ) async

    /// The radio failed; the SDK goes on when it can.
    ///
    /// - Parameters:
    ///   - central: who tells.
    ///   - error: what failed, and why; now also ``SDK/error``.
    func central(_ central: any Central, didFail error: EightBallError) async
}

extension CentralObserver {
    /// Does nothing.
    public func central(_ central: any Central, radioDidBecome state: RadioState) async {}

    /// Does nothing.
    public func central(_ central: any Central, didDiscover device: any PeripheralDevice) async {}

    /// Does nothing.
    public func central(_ central: any Central, didChange device: any PeripheralDevice) async {}

    /// Does nothing.
    public func central(_ central: any Central, didLose device: any PeripheralDevice) async {}

    /// Does nothing.
    public func central(_ central: any Central, didConnect device: any PeripheralDevice) async {}

    /// Does nothing.
    public func central(
        _ central: any Central,
        didDisconnect device: any PeripheralDevice,
        because error: EightBallError?
    ) async {}

    /// Does nothing.
    public func central(
        _ central: any Central,
        didAsk question: Question,
        of device: any PeripheralDevice
    ) async {}

    /// Does nothing.
    public func central(
        _ central: any Central,
        didReceive answer: Answer,
        to question: Question,
        from device: any PeripheralDevice
    ) async {}

    /// Does nothing.
    public func central(
        _ central: any Central,
        didFailToAsk question: Question,
        of device: any PeripheralDevice,
        because error: EightBallError
    ) async {}

    /// Does nothing.
    public func central(_ central: any Central, didFail error: EightBallError) async {}
}
