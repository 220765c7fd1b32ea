public import BLE

/// What a radio, its system or its peers may do at any time.
///
/// The names are those of Nordic's CoreBluetoothMock, where it has them.
extension MemoryRadio {
    /// Turns the radio off.
    ///
    /// Scans throw `off`, links end with it, peers lose their connections. Publications stay, and can be
    /// discovered again once it is on, unless the ``Configuration`` says otherwise.
    public func simulatePowerOff() async {
        let error = RadioError(.off, "the radio \(name) is off")
        await air.makeUnusable(peer, error)
    }

    /// Turns the radio on, or plugs it in, or starts its system's Bluetooth service.
    public func simulatePowerOn() async {
        await air.makeUsable(peer)
    }

    /// Unplugs the radio: it is absent, and everything ends with `RadioError.Code.absent`.
    public func simulateUnplugging() async {
        let error = RadioError(.absent, "the radio \(name) was unplugged")
        await air.makeUnusable(peer, error)
    }

    /// Ends the system's Bluetooth service: the radio is absent, and everything ends with
    /// `RadioError.Code.noService`.
    public func simulateServiceEnd() async {
        let error = RadioError(.noService, "the Bluetooth service of \(name) is not running")
        await air.makeUnusable(peer, error)
    }

    /// Drops a peer: scans that have reported it report that it is lost, and it has to be seen again before
    /// it can be connected to.
    ///
    /// - Parameter other: the peer; nothing happens when there is a connection to it.
    public func simulateForgetting(_ other: MemoryRadio) async {
        await air.forget(other.peer, by: peer)
    }

    /// Keeps the services that a peer serves now, as systems do over connections: links that are made later show them, whatever
    /// the peer serves by then, until `Link.forgetServices()`.
    ///
    /// Requests to those that the peer has no longer fail with ATT 0x01.
    ///
    /// - Parameter other: the peer.
    public func simulateKeptServices(of other: MemoryRadio) async {
        await air.keepServices(of: other.peer, by: peer)
    }

    /// Decides what comes of attempts to connect to this radio.
    ///
    /// - Parameter outcome: what comes of them, also of those that hang already.
    public func simulateConnectionAttempts(_ outcome: ConnectionAttempts) async {
        await air.setConnectionAttempts(outcome, to: peer)
    }

    /// Decides whether this radio replies to requests.
    ///
    /// Those that it gets meanwhile never have a reply. As a central has one request under way at a time,
    /// its later ones wait behind it, until it disconnects.
    ///
    /// - Parameter replies: whether it replies.
    public func simulateReplies(_ replies: Bool) async {
        await air.setReplies(replies, by: peer)
    }

    /// Decides whether this radio, as a central, confirms indications.
    ///
    /// - Parameter confirms: whether it does.
    public func simulateConfirmations(_ confirms: Bool) async {
        await air.setConfirmations(confirms, by: peer)
    }

    /// Decides how long `Link.disconnect()` takes on this radio, as systems do not end a connection at once: a bluetoothd takes two
    /// to four seconds.
    ///
    /// The link works until the connection has ended. Who connects again meanwhile waits for that.
    ///
    /// - Parameters:
    ///   - duration: how long until it returns, 0 or more; at first 0.
    ///   - delay: how long it is from then on until the connection has ended, 0 or more; at first 0.
    public func simulateDisconnecting(
        takes duration: Duration,
        endingAfter delay: Duration = .zero
    ) async {
        precondition(
            duration >= .zero && delay >= .zero,
            "no link ends before it is ended: \(duration), \(delay)"
        )
        await air.setDisconnectingTime(duration, endingAfter: delay, of: peer)
    }
}

/// What may happen between two radios at any time.
extension MemoryAir {
    /// Cuts the connection of two radios: neither of them has ended it.
    ///
    /// What is on its way between them is lost. The links end with `RadioError.Code.peerGone`.
    ///
    /// - Parameters:
    ///   - radio: one of them.
    ///   - other: the other one.
    public func simulateDisconnection(between radio: MemoryRadio, and other: MemoryRadio) {
        cut(Route(from: radio.peer, to: other.peer))
    }

    /// Changes how strong two radios receive each other's signals; −50 dBm until then.
    ///
    /// - Parameters:
    ///   - rssi: the signal strength; `nil` when they are out of reach of each other, which also cuts their
    ///     connection.
    ///   - radio: one of them.
    ///   - other: the other one.
    public func simulateProximityChange(
        to rssi: RSSI?,
        between radio: MemoryRadio,
        and other: MemoryRadio
    ) {
        strengths[Pair(radio.peer, other.peer)] = .some(rssi)
        if rssi == nil { cut(Route(from: radio.peer, to: other.peer)) }
    }

    /// Changes the ATT MTU of a connection, as another exchange of it does.
    ///
    /// - Parameters:
    ///   - mtuBytes: the MTU in bytes, at least 23.
    ///   - radio: one of the two radios.
    ///   - other: the other one.
    public func simulateMTUChange(
        to mtuBytes: Int,
        between radio: MemoryRadio,
        and other: MemoryRadio
    ) {
        precondition(mtuBytes >= 23, "an ATT MTU is at least 23 bytes, not \(mtuBytes)")
        let route = Route(from: radio.peer, to: other.peer)
        for route in [route, route.reversed] { send(.mtuChanged(mtuBytes), on: route) }
    }
}
