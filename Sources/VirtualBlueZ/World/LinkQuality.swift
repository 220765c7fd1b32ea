/// How well packets travel between two adapters.
///
/// ```swift
/// let bad = LinkQuality(loss: 0.3, delay: .milliseconds(20))
/// await daemon.simulateLinkQuality(bad, between: 0, and: 1)
/// ```
public struct LinkQuality: Sendable, Hashable {
    /// How likely a packet is lost, 0…1.
    ///
    /// An advertising report that is lost is not received. A packet of a link is sent again, a
    /// ``Timing/connectionInterval`` later, until it arrives or the supervision time-out ends the link.
    public let loss: Double

    /// How long each packet of a link takes beside that.
    public let delay: Duration

    /// Makes a quality.
    ///
    /// - Parameters:
    ///   - loss: how likely a packet is lost, 0…1; what is outside is taken for the nearer end.
    ///   - delay: how long each packet of a link takes, 0 or more.
    public init(loss: Double = 0, delay: Duration = .zero) {
        self.loss = loss.isNaN ? 0 : min(1, max(0, loss))
        self.delay = max(.zero, delay)
    }

    /// Nothing is lost, nothing takes time.
    public static let perfect = LinkQuality()
}
