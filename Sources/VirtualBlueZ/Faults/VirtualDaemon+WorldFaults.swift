/// What happens to adapters, and between them; a test's levers.
extension VirtualDaemon {
    /// Turns an adapter off, as with its `Powered` property: its links, scans and their filters end.
    ///
    /// Does nothing when it is off already, or not there.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulatePowerOff(of adapter: Int) {
        whenNotHanging { daemon in
            guard daemon.world.isPowered(adapter) else { return }
            daemon.forgetPassersby(of: adapter)
            daemon.announcePower(of: adapter, false)
            daemon.endActivity(of: adapter)
            daemon.publishPower(of: adapter, false)
        }
    }

    /// Turns an adapter on again: its applications and advertisements are still there.
    ///
    /// Does nothing when it is on already, not there, or world.blocked.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulatePowerOn(of adapter: Int) {
        whenNotHanging { $0.powerOn(adapter) }
    }

    /// Blocks an adapter, as by rfkill: its links and scans end, and it can't be turned on.
    ///
    /// `Powered` becomes false, `PowerState` of 5.82 and newer `off-blocked`; setting `Powered` fails
    /// with `org.bluez.Error.Failed`, "Failed". It stays so when it is pulled out and put back. Does
    /// nothing when it is blocked already.
    ///
    /// So it was seen of 5.82 on Linux 6.1. Where the kernel gives the reason, the error is
    /// `org.bluez.Error.Blocked`, "Blocked through rfkill": let calls of
    /// `org.freedesktop.DBus.Properties.Set` fail with it.
    ///
    /// Source: BlueZ, src/rfkill.c, `rfkill_event`; src/adapter.c, `property_set_mode_complete`.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulateBlock(of adapter: Int) {
        Self.check(adapter)
        whenNotHanging { daemon in
            guard daemon.world.blocked.insert(adapter).inserted,
                daemon.adapters[adapter] != nil
            else { return }
            guard daemon.world.isPowered(adapter) else { return daemon.publishBlocked(adapter) }
            daemon.forgetPassersby(of: adapter)
            daemon.endActivity(of: adapter)
            daemon.publishPower(of: adapter, false, state: "off-blocked")
        }
    }

    /// Takes the block away; the daemon turns the adapter on.
    ///
    /// Does nothing when it is not world.blocked.
    ///
    /// Source: BlueZ, src/adapter.c, `btd_adapter_restore_powered`.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulateUnblock(of adapter: Int) {
        whenNotHanging { daemon in
            guard daemon.world.blocked.remove(adapter) != nil else { return }
            daemon.powerOn(adapter)
        }
    }

    /// Pulls an adapter out: its objects go, and what was registered with it is released.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulateUnplugging(of adapter: Int) {
        whenNotHanging { daemon in
            daemon.removeAdapter(adapter)
            daemon.world.unplug(adapter)
        }
    }

    /// Plugs an adapter in, a new one or one that was pulled out: it is off, and turned on at once.
    ///
    /// With another number in its name it is the same adapter, of the same address, under another
    /// path, as the kernel does when the old number is not free yet. It has that number until it is
    /// plugged in anew; levers go on calling it by its own. Does nothing when it is there, or when
    /// another adapter has the name.
    ///
    /// - Parameters:
    ///   - adapter: 0 for the one whose address is `00:AA:01:00:00:00`.
    ///   - number: the number in its name; `nil` for its own.
    public func simulatePlugging(of adapter: Int, as number: Int? = nil) {
        Self.check(adapter)
        let number = number ?? adapter
        Self.check(number)
        whenNotHanging { daemon in
            guard daemon.adapters[adapter] == nil, daemon.world.controller(named: number) == nil
            else { return }
            daemon.world.plug(adapter, as: number)
            daemon.addAdapter(adapter, isNew: true)
        }
    }

    // MARK: - Links

    /// Cuts the link between two adapters, as one does who goes away; both may connect again.
    ///
    /// Does nothing when there is none.
    ///
    /// - Parameters:
    ///   - adapter: one of the two.
    ///   - other: the other.
    public func simulateDisconnection(between adapter: Int, and other: Int) {
        whenNotHanging { $0.endLink(DeviceID(adapter: adapter, peer: other)) }
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
        whenNotHanging { daemon in
            let id = DeviceID(adapter: adapter, peer: other)
            daemon.breakLink(daemon.isConnected(id) ? id : id.opposite)
        }
    }

    /// Lets two adapters that are connected exchange another MTU, as phones do some time after connecting.
    ///
    /// Both ends have it: the `MTU` of their characteristics changes, with a signal for those that were
    /// found over this link, and requests and sockets from then on have it. An MTU only grows: does
    /// nothing for one that is not greater, and when there is no link.
    ///
    /// Source: Bluetooth Core specification, Vol 3, Part F, 3.4.2; BlueZ, src/shared/att.c,
    /// `bt_att_set_mtu`.
    ///
    /// - Parameters:
    ///   - mtu: 23…517 bytes.
    ///   - adapter: one of the two.
    ///   - other: the other.
    public func simulateMTUExchange(of mtu: Int, between adapter: Int, and other: Int) {
        precondition(AttributeLimits.mtus.contains(mtu), "an MTU of \(mtu)")
        whenNotHanging { $0.exchange(mtu: mtu, over: DeviceID(adapter: adapter, peer: other)) }
    }

    /// Resets an adapter as a peer of others, as a device that reboots or whose battery is changed.
    ///
    /// Its own links end at once; it is connectable at once, if it advertises. The others show
    /// `Connected` and get no reply until the supervision time-out is over. Does nothing when it has
    /// no link.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulateReset(of adapter: Int) {
        whenNotHanging { daemon in
            for id in daemon.devices(of: adapter) where daemon.isConnected(id) {
                daemon.breakLink(id.opposite)
                daemon.endLinkAtOneEnd(id)
            }
        }
    }

    // MARK: - Air

    /// Moves two adapters nearer to each other or farther apart.
    ///
    /// Out of range they lose their link, and no longer receive each other.
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
        whenNotHanging { daemon in
            daemon.world.air.set(proximity, between: adapter, and: other)
            if proximity == .outOfRange {
                daemon.endLink(DeviceID(adapter: adapter, peer: other))
            } else {
                daemon.retryConnecting(to: adapter)
                daemon.retryConnecting(to: other)
            }
        }
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
        let pair = AdapterPair(adapter, other)
        world.air.setPath(steps, between: adapter, and: other)
        schedule.cancel(.step(pair))
        if let first = steps.first { set(.step(pair), after: first.due - now) }
    }

    /// Takes the next step of two adapters' path.
    func takeStep(of pair: AdapterPair) {
        guard let step = world.air.takeStep(of: pair) else { return }
        if let next = world.air.paths[pair]?.first {
            set(.step(pair), after: next.due - clock.elapsed())
        }
        simulateProximityChange(step.proximity, between: pair.lower, and: pair.higher)
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
        whenNotHanging { $0.world.air.set(quality, between: adapter, and: other) }
    }

    /// Lets devices pass an adapter by, as people with their telephones do: random addresses that are
    /// received while the adapter scans, come and go, and come again.
    ///
    /// One that is near is received about once a second; after 5 to 15 times it has gone, and its
    /// object goes ``Timing/removal`` later. Half of them have a name, all have manufacturer data.
    /// Nobody can connect to them. Those that passed this adapter by before are gone.
    ///
    /// - Parameters:
    ///   - count: how many different ones there are, 0…1,000,000; 0 for nobody.
    ///   - adapter: 0 for `hci0`.
    ///   - sightingsPerSecond: how often one of them is received, 0…1,000,000; about as many are near at
    ///     once, at least one and at most all.
    ///   - services: the UUIDs that every tenth of them advertises.
    ///   - seed: decides who comes when, and how strong; the same one always gives the same row. The
    ///     addresses are the same with each.
    public func simulatePassersby(
        _ count: Int,
        near adapter: Int,
        sightingsPerSecond: Double,
        advertising services: [String] = [],
        seed: UInt64 = 0
    ) {
        precondition((0...1_000_000).contains(count), "\(count) passers-by")
        let isPossible = (0...1_000_000).contains(sightingsPerSecond)
        precondition(isPossible, "\(sightingsPerSecond) sightings a second")
        let uuids = services.compactMap(BluetoothUUIDText.normalized)
        precondition(uuids.count == services.count, "\(services) are not all UUIDs")
        world.air.crowds[adapter] =
            count == 0
            ? nil
            : Crowd(count, sightingsPerSecond: sightingsPerSecond, services: uuids, seed: seed)
    }

    private static func check(_ adapter: Int) {
        precondition(adapterNumbers.contains(adapter), "hci\(adapter)")
    }
}
