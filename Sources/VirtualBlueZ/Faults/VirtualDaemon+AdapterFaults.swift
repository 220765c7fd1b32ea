internal import DBus

/// What happens to adapters; a test's levers.
extension VirtualDaemon {
    /// Turns an adapter off, as with its `Powered` property: its links and scans end.
    ///
    /// Does nothing when it is off already, or not there.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulatePowerOff(of adapter: Int) {
        see { daemon in
            guard daemon.adapters[adapter]?.isPowered == true else { return }
            daemon.forgetPassersby(of: adapter)
            daemon.announcePower(of: adapter, false)
            daemon.endActivity(of: adapter)
            daemon.tellPower(of: adapter, false)
        }
    }

    /// Turns an adapter on again: its applications and advertisements are still there.
    ///
    /// Does nothing when it is on already, not there, or blocked.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulatePowerOn(of adapter: Int) {
        see { $0.powerOn(adapter) }
    }

    private func powerOn(_ adapter: Int) {
        guard adapters[adapter]?.isPowered == false, !blocked.contains(adapter) else { return }
        announcePower(of: adapter, true)
        tellPower(of: adapter, true)
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
        see { daemon in
            guard daemon.blocked.insert(adapter).inserted,
                let wasPowered = daemon.adapters[adapter]?.isPowered
            else { return }
            guard wasPowered else { return daemon.tellBlocked(adapter) }
            daemon.forgetPassersby(of: adapter)
            daemon.endActivity(of: adapter)
            daemon.tellPower(of: adapter, false, state: "off-blocked")
        }
    }

    /// Takes the block away; the daemon turns the adapter on.
    ///
    /// Does nothing when it is not blocked.
    ///
    /// Source: BlueZ, src/adapter.c, `btd_adapter_restore_powered`.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulateUnblock(of adapter: Int) {
        see { daemon in
            guard daemon.blocked.remove(adapter) != nil else { return }
            daemon.powerOn(adapter)
        }
    }

    private func tellBlocked(_ adapter: Int) {
        guard behavior.showsPowerState, let path = adapters[adapter]?.path else { return }
        change(["PowerState": .string("off-blocked")], of: Self.adapter1, at: path)
    }

    /// Pulls an adapter out: its objects go, and what was registered with it is released.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulateUnplugging(of adapter: Int) {
        see { $0.removeAdapter(adapter) }
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
        see { daemon in
            guard daemon.adapters[adapter] == nil, daemon.adapter(named: number) == nil else {
                return
            }
            daemon.names[adapter] = number == adapter ? nil : number
            daemon.addAdapter(adapter, .new)
        }
    }

    /// The adapter that has a number in its name.
    func adapter(named number: Int) -> Int? {
        adapters.keys.first { (names[$0] ?? $0) == number }
    }

    private static func check(_ adapter: Int) {
        precondition(adapterNumbers.contains(adapter), "hci\(adapter)")
    }
}
