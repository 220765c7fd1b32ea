/// An SDK that answers: it shows itself as a ball, receives questions and answers them.
///
/// ```swift
/// let ball = EightBallPeripheral(radio: radio, name: "Ball")
/// try await ball.start()
/// ```
public protocol AnsweringPeripheral: EightBallSDK {
    /// The name under which askers find the ball: 1 to 29 bytes of UTF-8.
    var localName: String { get }

    /// Whether the ball can be found and asked, now.
    var isAdvertising: Bool { get async }

    /// The askers that are connected, in the order in which they came.
    var devices: [any AskerDevice] { get async }

    /// The events from now on, for one consumer; each read of this property gives a stream of its own.
    ///
    /// Streams and observers get the same events in the same order. A stream keeps 4096 events for a
    /// consumer that takes long; those beyond are dropped, and the consumer gets
    /// ``PeripheralEvent/failed(_:)`` with ``EightBallError/Code/overflow``. A stream goes on over
    /// ``EightBallSDK/stop()`` and ``EightBallSDK/start()``. It ends when its task is cancelled, and
    /// when the SDK has been deallocated.
    var events: AsyncStream<PeripheralEvent> { get async }

    /// Adds an observer, which receives each event from now on.
    ///
    /// - Parameter observer: the observer, held weakly. Adding it again does nothing.
    func addObserver(_ observer: any PeripheralObserver) async

    /// Removes an observer; it receives no more events, not even those that wait to be delivered.
    ///
    /// - Parameter observer: the observer. Removing one that was not added does nothing.
    func removeObserver(_ observer: any PeripheralObserver) async

    /// Whether an observer receives events.
    ///
    /// - Parameter observer: the observer.
    /// - Returns: whether it was added and not removed.
    func isObserving(_ observer: any PeripheralObserver) async -> Bool
}
