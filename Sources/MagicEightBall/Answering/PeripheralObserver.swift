public import BLE

/// An object that is told the events of an ``AnsweringPeripheral``.
///
/// Each event is one callback; see ``PeripheralEvent``. Callbacks come one at a time, in the order of the
/// events; the next one waits until this one has returned. Those of an actor, or of a `@MainActor`
/// class, run there; others on no particular thread. Inside a callback everything is allowed: to add
/// and remove observers, to answer, to stop. All callbacks have an empty default implementation.
public protocol PeripheralObserver: AnyObject, Sendable {
    /// The radio's state changed.
    ///
    /// - Parameters:
    ///   - peripheral: the ball.
    ///   - state: the new state.
    func peripheral(_ peripheral: any AnsweringPeripheral, radioDidBecome state: RadioState) async

    /// The ball can be found and asked, for the first time or again.
    ///
    /// - Parameter peripheral: the ball.
    func peripheralDidStartAdvertising(_ peripheral: any AnsweringPeripheral) async

    /// The ball can no longer be found and asked.
    ///
    /// - Parameters:
    ///   - peripheral: the ball.
    ///   - error: why; now also ``EightBallSDK/error``. `nil` when it was stopped here.
    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didStopAdvertisingBecause error: EightBallError?
    ) async

    /// An asker connected.
    ///
    /// - Parameters:
    ///   - peripheral: the ball.
    ///   - device: the asker, now among ``AnsweringPeripheral/devices``.
    func peripheral(_ peripheral: any AnsweringPeripheral, didConnect device: any AskerDevice) async

    /// An asker disconnected; before this, each of its questions has ended.
    ///
    /// - Parameters:
    ///   - peripheral: the ball.
    ///   - device: the asker, no longer among ``AnsweringPeripheral/devices``.
    func peripheral(_ peripheral: any AnsweringPeripheral, didDisconnect device: any AskerDevice)
        async

    /// An asker's question was accepted.
    ///
    /// - Parameters:
    ///   - peripheral: the ball.
    ///   - question: what was asked.
    ///   - device: the asker.
    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didReceive question: Question,
        from device: any AskerDevice
    ) async

    /// An accepted question has to wait for its turn.
    ///
    /// Comes right after ``peripheral(_:didReceive:from:)``, but not for a question whose turn is at once.
    ///
    /// - Parameters:
    ///   - peripheral: the ball.
    ///   - question: what was asked.
    ///   - device: the asker.
    ///   - place: its place among those that wait, from 1.
    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didQueue question: Question,
        of device: any AskerDevice,
        at place: Int
    ) async

    /// An asker's question was refused before it was accepted.
    ///
    /// - Parameters:
    ///   - peripheral: the ball.
    ///   - device: the asker.
    ///   - reason: why.
    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didRejectQuestionOf device: any AskerDevice,
        because reason: RejectionReason
    ) async

    /// An answer was handed to the radio.
    ///
    /// An asker of this SDK was notified that the answer can be read;
    /// ``peripheral(_:didDeliver:to:of:)`` comes when it has read it. To an original asker the answer
    /// itself was sent; no other event follows.
    ///
    /// - Parameters:
    ///   - peripheral: the ball.
    ///   - answer: what was answered.
    ///   - question: what was asked.
    ///   - device: the asker.
    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didSend answer: Answer,
        to question: Question,
        of device: any AskerDevice
    ) async

    /// An asker has read its answer, to the last byte.
    ///
    /// - Parameters:
    ///   - peripheral: the ball.
    ///   - answer: what was answered.
    ///   - question: what was asked.
    ///   - device: the asker.
    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didDeliver answer: Answer,
        to question: Question,
        of device: any AskerDevice
    ) async

    /// An accepted question ended without an answer, or its answer was not read.
    ///
    /// | code | when |
    /// |---|---|
    /// | `rejected` | it was refused: by the source, or by the owner |
    /// | `timedOut` | ``Timeouts/thinking`` is over, or ``Timeouts/reply`` before the answer was read |
    /// | `deviceOffline` | the asker has gone |
    /// | `cancelled` | the asker has asked more than eight questions, or left more than sixteen answers unread; or sending the answer was cancelled |
    /// | `stopped` | the ball was stopped |
    /// | any other | the source failed, or the radio |
    ///
    /// - Parameters:
    ///   - peripheral: the ball.
    ///   - question: what was asked.
    ///   - device: the asker.
    ///   - error: why; now also ``EightBallSDK/error`` and ``EightBallDevice/error``.
    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didFailToAnswer question: Question,
        of device: any AskerDevice,
        because error: EightBallError
    ) async

    /// The radio failed; the ball continues when it can.
    ///
    /// - Parameters:
    ///   - peripheral: the ball.
    ///   - error: what failed, and why; now also ``EightBallSDK/error``.
    func peripheral(_ peripheral: any AnsweringPeripheral, didFail error: EightBallError) async
}

extension PeripheralObserver {
    /// Does nothing.
    public func peripheral(
        _ peripheral: any AnsweringPeripheral,
        radioDidBecome state: RadioState
    ) async {}

    /// Does nothing.
    public func peripheralDidStartAdvertising(_ peripheral: any AnsweringPeripheral) async {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didStopAdvertisingBecause error: EightBallError?
    ) async {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didConnect device: any AskerDevice
    ) async {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didDisconnect device: any AskerDevice
    ) async {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didReceive question: Question,
        from device: any AskerDevice
    ) async {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didQueue question: Question,
        of device: any AskerDevice,
        at place: Int
    ) async {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didRejectQuestionOf device: any AskerDevice,
        because reason: RejectionReason
    ) async {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didSend answer: Answer,
        to question: Question,
        of device: any AskerDevice
    ) async {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didDeliver answer: Answer,
        to question: Question,
        of device: any AskerDevice
    ) async {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didFailToAnswer question: Question,
        of device: any AskerDevice,
        because error: EightBallError
    ) async {}

    /// Does nothing.
    public func peripheral(_ peripheral: any AnsweringPeripheral, didFail error: EightBallError)
        async
    {}
}
