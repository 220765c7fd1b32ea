/// How long things take and how long the daemon waits.
///
/// The defaults are what a real daemon showed, without its small delays of some milliseconds.
/// A test that is to be quick makes them shorter, or gives the daemon a clock of its own.
public struct Timing: Sendable, Hashable {
    /// From `Connect` to the link, if the peer advertises.
    public var connecting: Duration

    /// From the link to `ServicesResolved`.
    public var resolving: Duration

    /// From `Disconnect` to the end of the link.
    public var disconnecting: Duration

    /// How long `Connect` waits for a peer that does not advertise.
    public var connectLimit: Duration

    /// How long a write command can be overtaken by the next one, where there are several channels.
    public var overtaking: Duration

    /// How long an application may take to reply to a read or a write.
    public var handlerLimit: Duration

    /// How long a device is known after it was received or connected last.
    public var removal: Duration

    /// From `StartDiscovery` to its reply, unless a discovery goes on; who calls meanwhile gets the
    /// reply in place of who called before.
    public var startingDiscovery: Duration

    /// From the reply to `StartDiscovery` to the first report, which never comes together with it.
    ///
    /// Chance decides within this range, by the seed, and prefers its lower half: real daemons took 0.3 to 239 ms, 10 to 18 in the
    /// median. A program that listens only after the reply may miss who is reported before.
    public var firstReport: ClosedRange<Duration>

    /// From one advertising report to the next, during a scan.
    public var advertisingInterval: Duration

    /// How long nothing may be received over a link until it has ended; Linux's own is the default.
    ///
    /// Source: Linux, net/bluetooth/hci_core.c, `le_supv_timeout`.
    public var supervision: Duration

    /// From one packet of a link to the next attempt, if it is lost; Linux's own is the default.
    ///
    /// Source: Linux, net/bluetooth/hci_core.c, `le_conn_max_interval`.
    public var connectionInterval: Duration

    /// How long a request waits for the response of a peer that does not respond.
    ///
    /// Source: Bluetooth Core specification, Vol 3, Part F, 3.3.3.
    public var requestLimit: Duration

    /// Makes a set of durations.
    ///
    /// - Parameters:
    ///   - connecting: from `Connect` to the link, if the peer advertises.
    ///   - resolving: from the link to `ServicesResolved`.
    ///   - disconnecting: from `Disconnect` to the end of the link.
    ///   - connectLimit: how long `Connect` waits for a peer that does not advertise.
    ///   - overtaking: how long a write command can be overtaken by the next one, where there are
    ///     several channels.
    ///   - handlerLimit: how long an application may take to reply to a read or a write.
    ///   - removal: how long a device is known after it was received or connected last.
    ///   - startingDiscovery: from `StartDiscovery` to its reply, unless a discovery goes on.
    ///   - firstReport: from that reply to the first report, 0 or more.
    ///   - advertisingInterval: from one advertising report to the next, during a scan.
    ///   - supervision: how long nothing may be received over a link until it has ended.
    ///   - connectionInterval: from one packet of a link to the next attempt, if it is lost.
    ///   - requestLimit: how long a request waits for the response of a peer that does not respond.
    public init(
        connecting: Duration = .milliseconds(30),
        resolving: Duration = .milliseconds(120),
        disconnecting: Duration = .seconds(2),
        connectLimit: Duration = .seconds(40),
        overtaking: Duration = .milliseconds(2),
        handlerLimit: Duration = .seconds(5),
        removal: Duration = .seconds(30),
        startingDiscovery: Duration = .milliseconds(10),
        firstReport: ClosedRange<Duration> = .milliseconds(2) ... .milliseconds(80),
        advertisingInterval: Duration = .milliseconds(250),
        supervision: Duration = .milliseconds(420),
        connectionInterval: Duration = .milliseconds(50),
        requestLimit: Duration = .seconds(30)
    ) {
        self.connecting = connecting
        self.resolving = resolving
        self.disconnecting = disconnecting
        self.connectLimit = connectLimit
        self.overtaking = overtaking
        self.handlerLimit = handlerLimit
        self.removal = removal
        self.startingDiscovery = startingDiscovery
        self.firstReport = firstReport
        self.advertisingInterval = advertisingInterval
        self.supervision = supervision
        self.connectionInterval = connectionInterval
        self.requestLimit = requestLimit
    }
}
