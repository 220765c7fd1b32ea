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

    /// An asker's link ended; a question of it that waits is dropped.
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

    /// An accepted question stays without an answer.
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
        didFailToAnswer question: Question,
        of device: any CentralDevice,
        because error: EightBallError
    ) async {}

    /// Does nothing.
    public func peripheral(_ peripheral: any Peripheral, didFail error: EightBallError) async {}
}
