public import BLE

/// Something that happened to an ``AskingCentral``.
///
/// Each event is one callback of ``CentralObserver``, and one element of ``AskingCentral/events``.
/// Printed, it is a line for people:
///
/// ```swift
/// for await event in await central.events { print(event) }
/// ```
public enum CentralEvent: Sendable {
    /// The radio's state changed.
    ///
    /// Observers: ``CentralObserver/central(_:radioDidBecome:)``.
    case radioBecame(RadioState)

    /// A ball was discovered; it is now among ``AskingCentral/devices``.
    ///
    /// Observers: ``CentralObserver/central(_:didDiscover:)``.
    case discovered(any BallDevice)

    /// A ball's smoothed signal strength, its range or its name changed.
    ///
    /// Observers: ``CentralObserver/central(_:didChange:)``.
    case changed(any BallDevice)

    /// A ball was lost; it is no longer among ``AskingCentral/devices``.
    ///
    /// Observers: ``CentralObserver/central(_:didLose:)``.
    case lost(any BallDevice)

    /// A connection to a ball was made.
    ///
    /// Observers: ``CentralObserver/central(_:didConnect:)``.
    case connected(any BallDevice)

    /// The connection to a ball ended; without an error when it was ended here and for no reason but
    /// that it was idle.
    ///
    /// Observers: ``CentralObserver/central(_:didDisconnect:because:)``.
    case disconnected(any BallDevice, EightBallError?)

    /// A ball accepted a question.
    ///
    /// Observers: ``CentralObserver/central(_:didAsk:of:)``.
    case asked(Question, of: any BallDevice)

    /// A ball answered a question.
    ///
    /// Observers: ``CentralObserver/central(_:didReceive:to:from:)``.
    case answered(Question, Answer, from: any BallDevice)

    /// A question ended without an answer.
    ///
    /// Observers: ``CentralObserver/central(_:didFailToAsk:of:because:)``.
    case failedToAsk(Question, of: any BallDevice, EightBallError)

    /// The radio failed, a ball took its service back between two questions, or events were dropped
    /// (``EightBallError/Code/overflow``).
    ///
    /// Observers: ``CentralObserver/central(_:didFail:)``.
    case failed(EightBallError)
}

extension CentralEvent {
    /// Calls the observer's callback for this event.
    func deliver(to observer: any CentralObserver, from central: any AskingCentral) async {
        switch self {
        case .radioBecame(let state):
            await observer.central(central, radioDidBecome: state)
        case .discovered(let ball):
            await observer.central(central, didDiscover: ball)
        case .changed(let ball):
            await observer.central(central, didChange: ball)
        case .lost(let ball):
            await observer.central(central, didLose: ball)
        case .connected(let ball):
            await observer.central(central, didConnect: ball)
        case .disconnected(let ball, let error):
            await observer.central(central, didDisconnect: ball, because: error)
        case .asked(let question, let ball):
            await observer.central(central, didAsk: question, of: ball)
        case .answered(let question, let answer, let ball):
            await observer.central(central, didReceive: answer, to: question, from: ball)
        case .failedToAsk(let question, let ball, let error):
            await observer.central(central, didFailToAsk: question, of: ball, because: error)
        case .failed(let error):
            await observer.central(central, didFail: error)
        }
    }
}

extension CentralEvent: CustomStringConvertible {
    /// The event as one line for people, as `discovered Oracle`.
    public var description: String {
        switch self {
        case .radioBecame(let state): "the radio is \(state)"
        case .discovered(let ball): "discovered \(ball.name)"
        case .changed(let ball): "\(ball.name) changed"
        case .lost(let ball): "lost \(ball.name)"
        case .connected(let ball): "connected to \(ball.name)"
        case .disconnected(let ball, nil): "disconnected from \(ball.name)"
        case .disconnected(let ball, let error?): "disconnected from \(ball.name): \(error)"
        case .asked(let question, let ball): "asked \(ball.name) '\(question)'"
        case .answered(let question, let answer, let ball):
            "\(ball.name) answered '\(question)': \(answer)"
        case .failedToAsk(let question, let ball, let error):
            "\(ball.name) did not answer '\(question)': \(error)"
        case .failed(let error): "\(error)"
        }
    }
}
