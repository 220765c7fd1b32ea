/// Packets of a link on their way.
extension VirtualDaemon {
    /// The packets that travel one way over a link.
    struct Traffic {
        /// Of which link; that of a later link is another.
        let link: Int
        var count = 0

        /// When the last of them arrives; those behind it don't overtake it.
        var lastArrival: Duration
    }

    /// Lets a packet of a link arrive: at once, if the link is perfect; not at all, if it is dead.
    ///
    /// - Parameters:
    ///   - way: from the adapter to the peer.
    ///   - arrive: what happens then.
    func travel(_ way: DeviceID, _ arrive: @escaping @Sendable (isolated VirtualDaemon) -> Void) {
        guard !isSilent(way) else { return }
        let quality = air.quality(between: way.adapter, and: way.peer)
        guard quality != .perfect || faults.traffic[way] != nil else { return arrive(self) }
        let interval = max(timing.connectionInterval, .milliseconds(1))
        let limit = Int(timing.supervision / interval) + 1
        let losses = air.losses(from: way.adapter, to: way.peer, atMost: limit)
        guard losses < limit else { return silence(way) }
        let delay = quality.delay + interval * losses
        guard delay > .zero || faults.traffic[way] != nil else { return arrive(self) }
        send(way, at: clock.elapsed() + delay, arrive)
    }

    private func send(
        _ way: DeviceID,
        at arrival: Duration,
        _ arrive: @escaping @Sendable (isolated VirtualDaemon) -> Void
    ) {
        faults.lastLink += 1
        var traffic =
            faults.traffic[way] ?? Traffic(link: faults.lastLink, lastArrival: arrival)
        traffic.count += 1
        traffic.lastArrival = max(arrival, traffic.lastArrival)
        faults.traffic[way] = traffic
        let link = traffic.link
        after(traffic.lastArrival - clock.elapsed()) { daemon in
            guard daemon.faults.traffic[way]?.link == link else { return }
            daemon.faults.traffic[way]?.count -= 1
            if daemon.faults.traffic[way]?.count == 0 { daemon.faults.traffic[way] = nil }
            if !daemon.isSilent(way) { arrive(daemon) }
        }
    }
}
