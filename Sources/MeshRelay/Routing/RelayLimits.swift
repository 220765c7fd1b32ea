/// How much a node remembers, keeps and takes; whatever comes, there is no more of it.
public struct RelayLimits: Hashable, Sendable {
    /// To how many neighbours a node connects, 1 or more; what they connect to it comes on top.
    ///
    /// Controllers have no more than seven to ten connections in all. When there is no room for another device, those that are
    /// connected stay, but for the one that has sent nothing for longest, if that is more than ``RelayTimeouts/silence``.
    public var connectionCount = 7
    /// How many packets are known again, so that each is sent on once; the oldest are forgotten first.
    public var seenCount = 8_192
    /// How long a packet is known again.
    public var seenTime = Duration.seconds(3_600)
    /// How long a packet is kept for neighbours who come later.
    ///
    /// Source: Docs/Wire.md, dIM.
    public var queueTime = Duration.seconds(900)
    /// How many packets are kept, 1 or more; the oldest of others are dropped first, and a node's own last.
    public var queueCount = 512
    /// Of how many messages it is remembered which neighbour they came from.
    public var routeCount = 4_096
    /// How many packets that are not known a neighbour may send within ``rateTime``; contacts' messages are taken all the same.
    ///
    /// Source: Docs/Wire.md, dIM.
    public var neighbourRate = 60
    /// How many packets of one sender are taken within ``rateTime`` from each neighbour; those beyond it don't count as the
    /// neighbour's, so that this is useful while it is less than ``neighbourRate``.
    public var senderRate = 30
    /// See ``neighbourRate``.
    public var rateTime = Duration.seconds(60)
    /// Of how many neighbours, and of how many senders by each, packets are counted.
    public var rateCount = 1_024

    /// Creates limits that are as written here.
    public init() {}
}
