/// How long a node waits.
public struct RelayTimeouts: Hashable, Sendable {
    /// What the radio is asked to do: scan, publish, advertise, send.
    public var radio: Duration = .seconds(10)
    /// From the beginning of a connection until its packets are heard.
    public var connection: Duration = .seconds(10)
    /// How long a neighbour that has connected takes to subscribe, at most, where the system does not tell of it.
    public var subscription: Duration = .seconds(3)
    /// Until a neighbour is tried again to which there was no connection, or to which it was lost; and until the radio is asked again
    /// for what it could not do.
    public var retry: Duration = .seconds(1)
    /// The same after several failures, which double it up to this.
    public var longestRetry: Duration = .seconds(60)
    /// The same for a device that turned out to be no node, and never was one: it may be about to be one, or never be.
    public var rest: Duration = .seconds(600)
    /// Until a neighbour that has subscribed is sent again what is kept: one that does so again and again costs no more.
    public var replay: Duration = .seconds(10)
    /// How long a neighbour has sent nothing when its connection gives way to another device, if there is no room for both; for as
    /// long it is left alone then.
    public var silence: Duration = .seconds(60)
    /// How long a device that is not seen any more is remembered; one that has sent something, for ``RelayLimits/rateTime`` at least.
    public var loss: Duration = .seconds(30)
    /// The same while the radio has not lost it: until then it is tried again, and waits for room.
    ///
    /// bluetoothd reports a device that is there once, as long as nothing of it changes; a phone has no address for longer.
    public var longestLoss: Duration = .seconds(900)

    /// The limits above.
    public init() {}

    /// How long something is left alone that has failed so often in a row.
    func retryPause(after failureCount: Int, upTo longest: Duration) -> Duration {
        min(retry * (1 << min(max(failureCount - 1, 0), 16)), longest)
    }

    /// The pauses after which a neighbour that has connected is sent what is kept, where the system does not tell that it has subscribed.
    ///
    /// The first is ``subscription``, and each doubles the time since it has connected. They end when the neighbour, whose attempts to
    /// subscribe may have failed, must have made another one.
    var subscriptionPauses: [Duration] {
        var pauses = [subscription]
        var elapsed = subscription
        while elapsed > .zero, elapsed < longestRetry + connection {
            pauses.append(elapsed)
            elapsed += elapsed
        }
        return pauses
    }
}
