internal import BLEDBus

/// The levers of what is between two adapters.
extension Lever {
    static let links = [
        Lever("Disconnect", pair, "the link between two adapters is lost") {
            (daemon, arguments) throws(ErrorReply) in
            let (adapter, other) = try daemon.connected(arguments.pair())
            daemon.simulateDisconnection(between: adapter, and: other)
        },
        Lever("LoseLink", pair, "the link goes dead, and both notice at the supervision time-out") {
            (daemon, arguments) throws(ErrorReply) in
            let (adapter, other) = try daemon.connected(arguments.pair())
            daemon.simulateLinkLoss(between: adapter, and: other)
        },
        Lever(
            "SetProximity",
            pair + [("proximity", "s")],
            "two adapters are immediate, near, far or outOfRange from now on"
        ) { (daemon, arguments) throws(ErrorReply) in
            let (adapter, other) = try arguments.pair()
            let proximity = try arguments.proximity(2)
            daemon.simulateProximityChange(proximity, between: adapter, and: other)
        },
        Lever(
            "SetPath",
            pair + [("steps", "s")],
            "they move: \"0:near 5000:-80 9000:outOfRange\", milliseconds from now and a proximity"
        ) { (daemon, arguments) throws(ErrorReply) in
            let (adapter, other) = try arguments.pair()
            daemon.simulatePath(try arguments.steps(2), between: adapter, and: other)
        },
        Lever(
            "SetLinkQuality",
            pair + [("loss", "d"), ("milliseconds", "u")],
            "of their packets a part is lost, 0 to 1, and each takes a time"
        ) { (daemon, arguments) throws(ErrorReply) in
            let (adapter, other) = try arguments.pair()
            let quality = LinkQuality(
                loss: try arguments.probability(2),
                delay: arguments.milliseconds(3)
            )
            daemon.simulateLinkQuality(quality, between: adapter, and: other)
        },
        Lever(
            "AbortConnections",
            pair + [("times", "u")],
            "the first's next attempts to connect fail: le-connection-abort-by-local"
        ) { (daemon, arguments) throws(ErrorReply) in
            let (adapter, other) = try arguments.pair()
            let times = try arguments.count(2)
            daemon.simulateConnectionAbort(from: adapter, to: other, times: times)
        },
        Lever("Wedge", [("adapter", "u")], "an adapter makes no connection until its power goes") {
            (daemon, arguments) throws(ErrorReply) in
            daemon.simulateWedge(of: try daemon.plugged(arguments.adapter(0)))
        },
        Lever(
            "SetOneWay",
            pair + [("on", "b")],
            "nothing arrives that the first sends to the second"
        ) { (daemon, arguments) throws(ErrorReply) in
            let (adapter, other) = try arguments.pair()
            daemon.simulateOneWay(from: adapter, to: other, arguments.isOn(2))
        },
        Lever("ExchangeMTU", pair + [("mtu", "u")], "they exchange another MTU, 23 to 517 bytes") {
            (daemon, arguments) throws(ErrorReply) in
            let mtu = try arguments.mtu(2)
            let (adapter, other) = try daemon.connected(arguments.pair())
            let current = daemon.limits(of: DeviceID(adapter: adapter, peer: other)).mtu
            guard mtu > current else {
                throw .leverFailed("the MTU is \(current), and only grows")
            }
            daemon.simulateMTUExchange(of: mtu, between: adapter, and: other)
        },
    ]

    static let pair: [(String, Signature)] = [("adapter", "u"), ("other", "u")]
}

extension VirtualDaemon {
    /// Checks that two adapters have a link.
    func connected(_ pair: (Int, Int)) throws(ErrorReply) -> (Int, Int) {
        let id = DeviceID(adapter: try plugged(pair.0), peer: try plugged(pair.1))
        guard isConnected(id) else {
            throw .leverFailed("hci\(pair.0) and hci\(pair.1) are not connected")
        }
        return pair
    }
}
