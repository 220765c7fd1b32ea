/// How long a messenger waits.
public struct ChatTimeouts: Hashable, Sendable {
    /// What the radio is asked to do: scan, publish, advertise.
    public var radio: Duration = .seconds(10)
    /// From the beginning of a call until both subscriptions are confirmed; the original allows 3 s.
    ///
    /// An attempt has two fifths of it, and ending one may take 4 s: so there is time for a second one.
    public var connection: Duration = .seconds(15)
    /// Until the other end has confirmed a text.
    public var sending: Duration = .seconds(15)
    /// Until a caller that was asked to leave ends the connection; then it is ended from here.
    public var leaving: Duration = .seconds(3)
    /// How long a caller that has left may take to end the connection: it is not called before, since its end would cut off the call.
    public var departure: Duration = .seconds(6)
    /// How long somebody who is not seen any more is nearby still.
    public var loss: Duration = .seconds(10)
    /// After how long a caller looks for what an encrypted chat has for it, though it was not notified.
    public var polling: Duration = .seconds(5)
    /// Until something that the radio could not do is tried again.
    public var retry: Duration = .seconds(1)

    /// The limits above.
    public init() {}
}
