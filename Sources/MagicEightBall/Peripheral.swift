/// An SDK that answers: it shows itself as a ball, receives questions and answers them.
///
/// ```swift
/// let ball = EightBallPeripheral(radio: radio, name: "Ball")
/// try await ball.start()
/// ```
public protocol Peripheral: SDK {
    /// The name under which askers find the ball: 1 to 29 bytes of UTF-8.
    var localName: String { get }

    /// Whether the ball can be found and asked, now.
    var isAdvertising: Bool { get async }

    /// The askers that are connected, in the order in which they came.
    var devices: [any CentralDevice] { get async }

    /// Lets an observer hear what happens, from the next happening on.
    ///
    /// - Parameter observer: who is to hear. It is held weakly. Who observes already is not added
    ///   again.
    func addObserver(_ observer: any PeripheralObserver) async

    /// Lets an observer hear nothing more, not even of what has happened but has not been told.
    ///
    /// - Parameter observer: who has heard enough. Who does not observe is no mistake.
    func removeObserver(_ observer: any PeripheralObserver) async

    /// Whether an observer hears what happens.
    ///
    /// - Parameter observer: who is meant.
    /// - Returns: whether it was added and not removed.
    func isObserving(_ observer: any PeripheralObserver) async -> Bool
}
