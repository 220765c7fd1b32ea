public import BLE

/// Who hears what happens to a ``Peripheral``.
///
/// Callbacks come one at a time, in the order of the happenings, each once for each happening; the
/// next waits until this one has returned. They come on no particular thread: an observer that is
/// an actor, or bound to one, gets them there. Inside a callback everything is allowed: to add and
/// remove observers, to answer, to stop. All callbacks have an empty implementation.
public protocol PeripheralObserver: AnyObject, Sendable {
    /// The radio went on, off or away.
    ///
    /// - Parameters:
    ///   - peripheral: who tells.
    ///   - state: what the radio can do from now on.
    func peripheral(_ peripheral: any Peripheral, radioDidBecome state: RadioState) async

    /// The ball can be found and asked, for the first time or again.
    ///
    /// - Parameter peripheral: who tells.
    func peripheralDidStartAdvertising(_ peripheral: any Peripheral) async

    /// The ball can no longer be found and asked.
    ///
    /// - Parameters:
    ///   - peripheral: who tells.
    ///   - error: why; `nil` when it was stopped here.
    func peripheral(
        _ peripheral: any Peripheral,
        didStopAdvertisingBecause error: EightBallError?
    ) async

    /// An asker connected.
    ///
    /// - Parameters:
    ///   - peripheral: who tells.
    ///   - device: the asker, now among ``Peripheral/devices``.
    func peripheral(_ peripheral: any Peripheral, didConnect device: any CentralDevice) async

    /// An asker's link ended; before this, each question of it that waited was told as failed.
    ///
    /// - Parameters:
    ///   - peripheral: who tells.
    ///   - device: the asker, no longer among ``Peripheral/devices``.
    func peripheral(_ peripheral: any Peripheral, didDisconnect device: any CentralDevice) async

    /// An asker's question was accepted.
    ///
    /// - Parameters:
    ///   - peripheral: who tells.
    ///   - question: what was asked.
    ///   - device: the asker.
    func peripheral(
        _ peripheral: any Peripheral,
        didReceive question: Question,
        from device: any CentralDevice
    ) async

    /// An accepted question has to wait for its turn.
    ///
    /// Comes right after ``peripheral(_:didReceive:from:)``; a question whose turn is at once is not
    /// told here.
    ///
    /// - Parameters:
    ///   - peripheral: who tells.
    ///   - question: what was asked.
    ///   - device: the asker.
    ///   - place: its place among those that wait; 1 is the next one.
    func peripheral(
        _ peripheral: any Peripheral,
        didQueue question: Question,
        of device: any CentralDevice,
        at place: Int
    ) async

    /// An asker's question was refused, and the asker told why.
    ///
    /// - Parameters:
    ///   - peripheral: who tells.
    ///   - device: the asker.
    ///   - reason: why.
    func peripheral(
        _ peripheral: any Peripheral,
        didRejectQuestionOf device: any CentralDevice,
        because reason: RejectionReason
    ) async

    /// An answer was handed to the radio.
    ///
    /// An asker that has its answers to itself was told that the answer can be read;
    /// ``peripheral(_:didDeliver:to:of:)`` comes when it has done so. To an original asker the answer
    /// itself was sent, and nothing more is heard.
    ///
    /// - Parameters:
    ///   - peripheral: who tells.
    ///   - answer: what was answered.
    ///   - question: what was asked.
    ///   - device: the asker.
    func peripheral(
        _ peripheral: any Peripheral,
        didSend answer: Answer,
        to question: Question,
        of device: any CentralDevice
    ) async

    /// An asker has read its answer, to the last byte.
    ///
    /// - Parameters:
    ///   - peripheral: who tells.
    ///   - answer: what was answered.
    ///   - question: what was asked.
    ///   - device: the asker.
    func peripheral(
        _ peripheral: any Peripheral,
        didDeliver answer: Answer,
        to question: Question,
        of device: any CentralDevice
    ) async

    /// An accepted question stays without an answer, or its answer was not read.
    ///
    /// | code | what happened |
    /// |---|---|
    /// | `rejected` | it was refused: by the source, or by the owner |
    /// | `timedOut` | ``Timeouts/thinking`` is over, or ``Timeouts/reply`` before the answer was read |
    /// | `deviceOffline` | the asker has gone |
    /// | `cancelled` | the asker has asked something else |
    /// | `stopped` | the ball was stopped |
    /// | any other | the source failed, or the radio |
    ///
    /// - Parameters:
    ///   - peripheral: who tells.
    ///   - question: what was asked.
    ///   - device: the asker.
    ///   - error: why; now also ``SDK/error`` and ``Device/error``.
    func peripheral(
        _ peripheral: any Peripheral,
        didFailToAnswer question: Question,
        of device: any CentralDevice,
        because error: EightBallError
    ) async

    /// The radio failed; the SDK goes on when it can.
    ///
    /// - Parameters:
    ///   - peripheral: who tells.
    ///   - error: what failed, and why; now also ``SDK/error``.
    func peripheral(_ peripheral: any Peripheral, didFail error: EightBallError) async
}

extension PeripheralObserver {
    /// Does nothing.
    public func peripheral(
        _ peripheral: any Peripheral,
        radioDidBecome state: RadioState
    ) async {}

    /// Does nothing.
    public func peripheralDidStartAdvertising(_ peripheral: any Peripheral) async {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: any Peripheral,
        didStopAdvertisingBecause error: EightBallError?
    ) async {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: any Peripheral,
        didConnect device: any CentralDevice
    ) async {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: any Peripheral,
        didDisconnect device: any CentralDevice
    ) async {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: any Peripheral,
        didReceive question: Question,
        from device: any CentralDevice
    ) async {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: any Peripheral,
        didQueue question: Question,
        of device: any CentralDevice,
        at place: Int
    ) async {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: any Peripheral,
        didRejectQuestionOf device: any CentralDevice,
        because reason: RejectionReason
    ) async {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: any Peripheral,
        didSend answer: Answer,
        to question: Question,
        of device: any CentralDevice
    ) async {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: any Peripheral,
        didDeliver answer: Answer,
        to question: Question,
        of device: any CentralDevice
    ) async {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: any Peripheral,
        didFailToAnswer question: Question,
        of device: any CentralDevice,
        because error: EightBallError
    ) async {}

    /// Does nothing.
    public func peripheral(_ peripheral: any Peripheral, didFail error: EightBallError) async {}
}
