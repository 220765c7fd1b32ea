/// The link between two adapters: one object with two ends.
struct Link: Sendable {
    /// What the host at one end has of it.
    struct End {
        /// Whether the host takes the link for being there; one that was reset no longer does.
        fileprivate(set) var isUp = true

        /// Whether the host knows the services of the other one.
        var hasResolvedServices = false

        /// The write commands that are on their way to the other end.
        var commands = CommandBurst()

        /// How many packets are on their way to the other end.
        fileprivate var packetCount = 0

        /// When the last of them arrives.
        fileprivate var lastArrival = Duration.zero
    }

    /// Tells it from earlier links of the same two adapters.
    let number: Int

    /// The adapter whose host has connected.
    let caller: Int

    /// The adapter that it has connected to.
    let called: Int

    /// The ATT MTU, in bytes; it only grows.
    private(set) var mtu: Int

    /// Whether nothing travels over it any more; the supervision time-out will end it.
    var isBroken = false

    /// The end that has given ATT up, and will end the link.
    var closingEnd: Int?

    /// Whether packets get from one end to the other.
    var carriesPackets: Bool { !isBroken && closingEnd == nil }

    private var callerEnd = End()
    private var calledEnd = End()

    init(number: Int, from caller: Int, to called: Int, mtu: Int) {
        self.number = number
        self.caller = caller
        self.called = called
        self.mtu = mtu
    }

    /// Takes over the MTU that the ends have exchanged; a smaller one changes nothing.
    ///
    /// - Returns: whether it is another one.
    mutating func exchange(mtu: Int) -> Bool {
        guard mtu > self.mtu else { return false }
        self.mtu = mtu
        return true
    }

    /// The end at an adapter, which is one of the two.
    subscript(adapter: Int) -> End {
        get { adapter == caller ? callerEnd : calledEnd }
        set {
            if adapter == caller { callerEnd = newValue } else { calledEnd = newValue }
        }
    }

    /// Whether no host takes it for being there any more.
    var isOver: Bool { !callerEnd.isUp && !calledEnd.isUp }

    /// Whether both hosts take it for being there.
    var isWhole: Bool { callerEnd.isUp && calledEnd.isUp }

    /// Lets the host at an end take the link for gone.
    mutating func takeDown(at adapter: Int) {
        self[adapter].isUp = false
        self[adapter].hasResolvedServices = false
    }

    // MARK: - Packets

    /// How many packets and commands are on their way.
    var pendingCount: Int {
        [callerEnd, calledEnd].reduce(0) {
            $0 + $1.packetCount + ($1.commands.pending == nil ? 0 : 1)
        }
    }

    /// Whether packets of an adapter are on their way, which a new one can't overtake.
    func isSending(from adapter: Int) -> Bool { self[adapter].packetCount > 0 }

    /// Sends a packet.
    ///
    /// - Parameters:
    ///   - adapter: who sends it.
    ///   - arrival: when it would arrive if it were alone.
    /// - Returns: when it arrives, behind those that were sent before.
    mutating func send(from adapter: Int, arrivingAt arrival: Duration) -> Duration {
        let arrival =
            isSending(from: adapter) ? max(arrival, self[adapter].lastArrival) : arrival
        self[adapter].packetCount += 1
        self[adapter].lastArrival = arrival
        return arrival
    }

    /// Takes note that a packet of an adapter has arrived.
    mutating func packetArrived(from adapter: Int) {
        self[adapter].packetCount -= 1
    }
}
