/// What happens to the adapters and between them; a test's levers.
extension VirtualDaemon {
    /// Turns an adapter off, as with its `Powered` property: its links and scans end.
    ///
    /// Does nothing when it is off already, or not there.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulatePowerOff(of adapter: Int) {
        guard adapters[adapter]?.isPowered == true else { return }
        forgetPassersby(of: adapter)
        announcePower(of: adapter, false)
        endActivity(of: adapter)
        tellPower(of: adapter, false)
    }

    /// Turns an adapter on again: its applications and advertisements are still there.
    ///
    /// Does nothing when it is on already, or not there.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulatePowerOn(of adapter: Int) {
        guard adapters[adapter]?.isPowered == false else { return }
        announcePower(of: adapter, true)
        tellPower(of: adapter, true)
    }

    /// Pulls an adapter out: its objects go, and what was registered with it is released.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulateUnplugging(of adapter: Int) {
        removeAdapter(adapter)
    }

    /// Plugs an adapter in, a new one or one that was pulled out: it is off, and turned on at once.
    ///
    /// Does nothing when it is there.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    public func simulatePlugging(of adapter: Int) {
        precondition(Self.adapterNumbers.contains(adapter), "hci\(adapter)")
        guard adapters[adapter] == nil else { return }
        addAdapter(adapter, .new)
    }

    /// Cuts the link between two adapters, as one does who goes away; both may connect again.
    ///
    /// Does nothing when there is none.
    ///
    /// - Parameters:
    ///   - adapter: one of the two.
    ///   - other: the other.
    public func simulateDisconnection(between adapter: Int, and other: Int) {
        losePeer(DeviceID(adapter: adapter, peer: other))
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
        air.set(proximity, between: adapter, and: other)
        if proximity == .outOfRange {
            losePeer(DeviceID(adapter: adapter, peer: other))
        } else {
            retryConnecting(to: adapter)
            retryConnecting(to: other)
        }
    }
}
