public import BLE

/// Something that happened to an ``AnsweringPeripheral``.
///
/// Each event is one callback of ``PeripheralObserver``, and one element of
/// ``AnsweringPeripheral/events``. Printed, it is a line for people:
///
/// ```swift
/// for await event in await ball.events { print(event) }
/// ```
public enum PeripheralEvent: Sendable {
    /// The radio's state changed.
    ///
    /// Observers: ``PeripheralObserver/peripheral(_:radioDidBecome:)``.
    case radioBecame(RadioState)

    /// The ball can be found and asked, for the first time or again.
    ///
    /// Observers: ``PeripheralObserver/peripheralDidStartAdvertising(_:)``.
    case startedAdvertising

    /// The ball can no longer be found and asked; without an error when it was stopped.
    ///
    /// Observers: ``PeripheralObserver/peripheral(_:didStopAdvertisingBecause:)``.
    case stoppedAdvertising(EightBallError?)

    /// An asker connected; it is now among ``AnsweringPeripheral/devices``.
    ///
    /// Observers: ``PeripheralObserver/peripheral(_:didConnect:)``.
    case connected(any AskerDevice)

    /// An asker disconnected; it is no longer among ``AnsweringPeripheral/devices``.
    ///
    /// Observers: ``PeripheralObserver/peripheral(_:didDisconnect:)``.
    case disconnected(any AskerDevice)

    /// A question was accepted.
    ///
    /// Observers: ``PeripheralObserver/peripheral(_:didReceive:from:)``.
    case received(Question, from: any AskerDevice)

    /// An accepted question waits; place 1 is the next one.
    ///
    /// Observers: ``PeripheralObserver/peripheral(_:didQueue:of:at:)``.
    case queued(Question, of: any AskerDevice, place: Int)

    /// A question was refused before it was accepted.
    ///
    /// Observers: ``PeripheralObserver/peripheral(_:didRejectQuestionOf:because:)``.
    case rejectedQuestion(of: any AskerDevice, RejectionReason)

    /// An answer was handed to the radio.
    ///
    /// Observers: ``PeripheralObserver/peripheral(_:didSend:to:of:)``.
    case sent(Answer, to: Question, of: any AskerDevice)

    /// An asker has read its answer to the last byte.
    ///
    /// Observers: ``PeripheralObserver/peripheral(_:didDeliver:to:of:)``.
    case delivered(Answer, to: Question, of: any AskerDevice)

    /// An accepted question ended without an answer, or its answer was not read.
    ///
    /// Observers: ``PeripheralObserver/peripheral(_:didFailToAnswer:of:because:)``.
    case failedToAnswer(Question, of: any AskerDevice, EightBallError)

    /// The radio failed, or events were missed (``EightBallError/Code/overflow``).
    ///
    /// Observers: ``PeripheralObserver/peripheral(_:didFail:)``.
    case failed(EightBallError)
}

extension PeripheralEvent {
    /// Calls the observer's callback for this event.
    func deliver(
        to observer: any PeripheralObserver,
        from peripheral: any AnsweringPeripheral
    ) async {
        switch self {
        case .radioBecame(let state):
            await observer.peripheral(peripheral, radioDidBecome: state)
        case .startedAdvertising:
            await observer.peripheralDidStartAdvertising(peripheral)
        case .stoppedAdvertising(let error):
            await observer.peripheral(peripheral, didStopAdvertisingBecause: error)
        case .connected(let asker):
            await observer.peripheral(peripheral, didConnect: asker)
        case .disconnected(let asker):
            await observer.peripheral(peripheral, didDisconnect: asker)
        case .received(let question, let asker):
            await observer.peripheral(peripheral, didReceive: question, from: asker)
        case .queued(let question, let asker, let place):
            await observer.peripheral(peripheral, didQueue: question, of: asker, at: place)
        case .rejectedQuestion(let asker, let reason):
            await observer.peripheral(peripheral, didRejectQuestionOf: asker, because: reason)
        case .sent(let answer, let question, let asker):
            await observer.peripheral(peripheral, didSend: answer, to: question, of: asker)
        case .delivered(let answer, let question, let asker):
            await observer.peripheral(peripheral, didDeliver: answer, to: question, of: asker)
        case .failedToAnswer(let question, let asker, let error):
            await observer.peripheral(
                peripheral,
                didFailToAnswer: question,
                of: asker,
                because: error
            )
        case .failed(let error):
            await observer.peripheral(peripheral, didFail: error)
        }
    }
}

extension PeripheralEvent: CustomStringConvertible {
    /// The event as one line, as `00:AA:01:00:00:23 asked 'Will it rain?'`.
    public var description: String {
        switch self {
        case .radioBecame(let state): "the radio is \(state)"
        case .startedAdvertising: "advertising"
        case .stoppedAdvertising(nil): "no longer advertising"
        case .stoppedAdvertising(let error?): "no longer advertising: \(error)"
        case .connected(let asker): "\(asker.id) connected"
        case .disconnected(let asker): "\(asker.id) disconnected"
        case .received(let question, let asker): "\(asker.id) asked '\(question)'"
        case .queued(let question, let asker, let place):
            "'\(question)' of \(asker.id) waits, at place \(place)"
        case .rejectedQuestion(let asker, let reason):
            "refused a question of \(asker.id): \(reason)"
        case .sent(let answer, let question, let asker):
            "answered '\(question)' of \(asker.id): \(answer)"
        case .delivered(_, let question, let asker):
            "\(asker.id) has read the answer to '\(question)'"
        case .failedToAnswer(let question, let asker, let error):
            "'\(question)' of \(asker.id) was not answered: \(error)"
        case .failed(let error): "\(error)"
        }
    }
}
