/// What happens between adapters; a test's levers.
extension VirtualDaemon {
    /// Cuts the link between two adapters, as one does who goes away; both may connect again.
    ///
    /// Does nothing when there is none.
    ///
    /// - Parameters:
    ///   - adapter: one of the two.
    ///   - other: the other.
    public func simulateDisconnection(between adapter: Int, and other: Int) {
        see { $0.losePeer(DeviceID(adapter: adapter, peer: other)) }
    }

    /// Moves two adapters nearer to each other or farther apart.
    ///
    /// Out of range they lose their link, and no longer hear each other.
    ///
    /// - Parameters:
    ///   - proximity: how near they are from now on.
    ///   - adapter: one of the two.
    ///   - other: the other.
    public func simulateProximityChange(
        _ proximity: Proximity,
        between adapter: Int,
        and other: Int
    ) {
        see { daemon in
            daemon.air.set(proximity, between: adapter, and: other)
            if proximity == .outOfRange {
                daemon.losePeer(DeviceID(adapter: adapter, peer: other))
            } else {
                daemon.retryConnecting(to: adapter)
                daemon.retryConnecting(to: other)
            }
        }
    }

    /// Lets the link between two adapters go dead: nothing travels over it any more, and both sides
    /// notice when the supervision time-out is over.
    ///
    /// Until then both show `Connected`, and requests get no reply; then `Connected` becomes false,
    /// and what waits fails with ATT 0x0e. Does nothing when there is no link.
    ///
    /// - Parameters:
    ///   - adapter: one of the two.
    ///   - other: the other.
    public func simulateLinkLoss(between adapter: Int, and other: Int) {
        see { daemon in
            let id = DeviceID(adapter: adapter, peer: other)
            let hasLink = daemon.device(id)?.isConnected == true
            let isMirrored = daemon.device(id.mirrored)?.isConnected == true
            guard hasLink || isMirrored else { return }
            daemon.silence(hasLink ? id : id.mirrored)
        }
    }

    /// Resets an adapter as a peer of others, as a device that reboots or whose battery is changed.
    ///
    /// Its own links end at once; it is connectable at once, if it advertises. The others show
    /// `Connected` and get no reply until the supervision time-out is over. Does nothing when it has
    /// no link.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulateReset(of adapter: Int) {
        see { daemon in
            for id in daemon.devices(of: adapter) where daemon.device(id)?.isConnected == true {
                daemon.silence(id.mirrored)
                daemon.loseHalf(id)
            }
        }
    }

    /// Lets packets between two adapters be lost and late from now on.
    ///
    /// Chance follows the daemon's seed, for each way and for reports and links apart: the same seed
    /// loses the same packets.
    ///
    /// - Parameters:
    ///   - quality: how well they travel; ``LinkQuality/perfect`` is the default.
    ///   - adapter: one of the two.
    ///   - other: the other.
    public func simulateLinkQuality(
        _ quality: LinkQuality,
        between adapter: Int,
        and other: Int
    ) {
        see { $0.air.set(quality, between: adapter, and: other) }
    }

    /// Lets two adapters move: nearer, farther, out of range and back, each at its time.
    ///
    /// The path takes the place of one that is under way. It goes on while the daemon is dead.
    ///
    /// - Parameters:
    ///   - steps: from now on after which time, in order, and how near they are then.
    ///   - adapter: one of the two.
    ///   - other: the other.
    public func simulatePath(
        _ steps: [(after: Duration, proximity: Proximity)],
        between adapter: Int,
        and other: Int
    ) {
        let now = clock.elapsed()
        let steps = steps.map { Air.Step(due: now + $0.after, proximity: $0.proximity) }
        let pair: Set = [adapter, other]
        air.setPath(steps, between: adapter, and: other)
        schedule.cancel(.step(pair))
        if let first = steps.first { set(.step(pair), after: first.due - now) }
    }

    /// Takes the next step of two adapters' path.
    func takeStep(of pair: Set<Int>) {
        guard let step = air.takeStep(of: pair), let adapter = pair.min(), let other = pair.max()
        else { return }
        if let next = air.paths[pair]?.first { set(.step(pair), after: next.due - clock.elapsed()) }
        simulateProximityChange(step.proximity, between: adapter, and: other)
    }
}
