internal import BLE

/// The peripheral's end of a socket, which waits for a central: events go in, actions come out.
///
/// | state | goes on with |
/// |---|---|
/// | idle | `open` |
/// | opening | the radio is on, within the limit |
/// | adding, advertising | the system has published the service, and advertises it |
/// | waiting | a central subscribes; every 3 s without one it is advertised anew, while no central is connected |
/// | open | the central unsubscribes or is gone, the radio is off, or `close` |
/// | leaving | the radio goes off, which the system may tell late; or does not: then the other end has left |
/// | finishing | the central has left, or does not within 3 s: then the service goes |
/// | pausing, 1 s | publishing again, after the system could not |
///
/// One that resumes goes on after a loss: it advertises again, and publishes again what the system has ended. One that
/// reconnects publishes again when it is over, but by `close` or the system.
///
/// Time is a duration since any moment that does not change.
struct ListeningSocket: Sendable {
    /// What happened.
    enum Event: Sendable {
        case open
        case close
        /// Both ends have all, and the central leaves by itself.
        case finish
        /// The other end is given up, and need not leave by itself.
        case giveUp
        case radioBecame(RadioState)
        /// The radio was closed for good.
        case radioClosed
        /// What was asked for is done, or not.
        case published, advertised
        case failed(any Error)
        /// A central; `nil` where the system does not say which.
        case connected(PeerID), disconnected(PeerID)
        case subscribed(SocketTransport, PeerID?), unsubscribed(SocketTransport, PeerID?)
        case received([UInt8], SocketTransport, from: PeerID?)
        /// So many writes of a central had no room.
        case missed(Int, SocketTransport, from: PeerID)
        /// The other end is of no use any more; another connection to it may be.
        case drop
        /// The system has ended the publication.
        case ended(RadioError)
        /// The time of ``deadline`` has come.
        case time
    }

    /// What is to be done.
    enum Action: Sendable {
        case publish, advertise, stopAdvertising, withdraw
        case disconnect(PeerID)
        /// Reports that a central has subscribed.
        case didOpen(SocketTransport, PeerID?)
        case didReceive([UInt8])
        /// Reports that the central that has subscribed is lost, and another is waited for.
        case didLose(SocketError)
        /// Reports the end that nobody here asked for; once.
        case didCloseUnexpectedly(SocketError)
        /// Reports the end that `close` asked for.
        case didClose
    }

    enum State: Equatable {
        case idle
        case opening(limit: Duration?)
        case adding
        case advertising
        case waiting(until: Duration)
        case open(SocketTransport, PeerID?)
        case leaving(until: Duration)
        case finishing(until: Duration)
        case pausing(until: Duration)
    }

    /// How long the system is left alone when it could not publish.
    static let pause = Duration.seconds(1)

    /// How long a central may take to leave when all is said.
    ///
    /// A service that goes while its central unsubscribes costs the central's bluetoothd its life, at times:
    /// Docs/Socket.md.
    private static let leavingLimit = Duration.seconds(3)
    /// How long bluetoothd takes at most to reply to who has unsubscribed.
    private static let unsubscriptionLimit = Duration.milliseconds(250)

    /// How long the radio may take to be on; `nil` for ever.
    let openLimit: Duration?
    /// How long a central is waited for before the service is advertised anew.
    let advertisingInterval: Duration
    /// How long after the end of a connection the radio may turn out to be off.
    let stateDelay: Duration
    /// Whether it goes on after a loss; changed while it is open.
    var resumes = false
    /// Whether it opens again when it is over; changed while it is open.
    var reconnects = false
    var state = State.idle
    /// `absent` while it is idle: nobody watches the radio then.
    var radio = RadioState.absent
    private var centrals: Set<PeerID> = []

    init(
        openLimit: Duration? = .seconds(30),
        advertisingInterval: Duration = .seconds(3),
        stateDelay: Duration = .zero
    ) {
        self.openLimit = openLimit
        self.advertisingInterval = advertisingInterval
        self.stateDelay = stateDelay
    }

    var isIdle: Bool { state == .idle }

    var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// Whether nobody is there any more whom it could send anything.
    var isLeaving: Bool {
        if case .leaving = state { true } else { false }
    }

    /// When ``Event/time`` is to come; `nil` for never.
    var deadline: Duration? {
        switch state {
        case .opening(let limit): limit
        case .waiting(let time), .leaving(let time), .finishing(let time), .pausing(let time): time
        case .idle, .adding, .advertising, .open: nil
        }
    }

    /// Takes what happened.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - now: the time; never before that of the event before.
    /// - Returns: what is to be done, in order.
    mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        switch event {
        case .open: return open(at: now)
        case .close: return isIdle ? [] : end() + [.didClose]
        case .finish: return finish(at: now)
        case .giveUp: return isIdle ? [] : endOrOpen(nil)
        case .radioBecame(let radio): return radioBecame(radio, at: now)
        case .radioClosed:
            guard case .opening = state else { return [] }
            return fail(
                SocketError(
                    .bluetoothAbsent,
                    "no central can connect: the radio was closed for good"
                )
            )
        case .published: return published()
        case .advertised: return advertised(at: now)
        case .failed(let error): return failed(error, at: now)
        case .connected(let central):
            centrals.insert(central)
            return []
        case .disconnected(let central):
            centrals.remove(central)
            if case .finishing = state { return centrals.isEmpty ? endOrOpen(nil) : [] }
            return left(central, at: now)
        case .subscribed(let transport, let central): return subscribed(transport, central)
        case .unsubscribed(let transport, let central):
            if case .finishing(let limit) = state {
                state = .finishing(until: min(limit, now + Self.unsubscriptionLimit))
                return []
            }
            guard case .open(transport, _) = state else { return [] }
            return left(central, at: now)
        case .received(let bytes, let transport, let central):
            return received(bytes, transport, from: central)
        case .missed(let count, let transport, let central):
            return missed(count, transport, from: central)
        case .drop: return drop(at: now)
        case .ended(let error): return failed(error, at: now)
        case .time: return passTime(now)
        }
    }
}

extension ListeningSocket {
    private mutating func subscribed(
        _ transport: SocketTransport,
        _ central: PeerID?
    ) -> [Action] {
        switch state {
        case .adding, .advertising, .waiting:
            // What is resumed is a stream.
            guard !resumes || transport == .stream else {
                return central.map { [.disconnect($0)] } ?? []
            }
            // Where the system does not say who, a central that is alone is the one.
            let central = central ?? (centrals.count == 1 ? centrals.first : nil)
            state = .open(transport, central)
            return [.stopAdvertising, .didOpen(transport, central)]
        case .open(_, let first?) where central != first:
            // It would read what is meant for the first.
            return central.map { [.disconnect($0)] } ?? []
        case .open, .idle, .opening, .leaving, .finishing, .pausing:
            return []
        }
    }

    private mutating func finish(at now: Duration) -> [Action] {
        switch state {
        case .idle, .finishing: return []
        case .open:
            state = .finishing(until: now + Self.leavingLimit)
            return []
        case .opening, .adding, .advertising, .waiting, .leaving, .pausing:
            return endOrOpen(nil)
        }
    }

    /// A central has unsubscribed, or is gone.
    private mutating func left(_ central: PeerID?, at now: Duration) -> [Action] {
        guard case .open(_, let first) = state, first == nil || central == nil || central == first
        else {
            return []
        }
        // Another one, which never wrote, where the system does not say who subscribed.
        if first == nil, central != nil, !centrals.isEmpty { return [] }
        guard resumes else {
            guard stateDelay > .zero else { return fail(Self.departure) }
            state = .leaving(until: now + stateDelay)
            return []
        }
        state = .advertising
        return [.didLose(Self.departure), .advertise]
    }

    private static let departure = SocketError(.lostConnection, "the other end has left")

    private mutating func drop(at now: Duration) -> [Action] {
        guard case .open(_, let central) = state else { return [] }
        if let central { return [.disconnect(central)] }
        // Whoever it is notices that the service is gone.
        let error = SocketError(.lostConnection, "the other end was given up")
        return resumes ? lose(error, .pausing(until: now + Self.pause)) : fail(error)
    }

    private mutating func received(
        _ bytes: [UInt8],
        _ written: SocketTransport,
        from central: PeerID?
    ) -> [Action] {
        guard case .open(let transport, let first) = state, written == transport else { return [] }
        if let first { return central == nil || central == first ? [.didReceive(bytes)] : [] }
        // Who writes first is the one.
        state = .open(transport, central)
        return [.didReceive(bytes)]
    }

    /// What a stream misses it sends again; bytes as they come are not all there any more.
    private mutating func missed(
        _ count: Int,
        _ written: SocketTransport,
        from central: PeerID
    ) -> [Action] {
        guard case .open(let transport, let first) = state, written == transport,
            transport != .stream, first == nil || central == first
        else { return [] }
        return fail(
            SocketError(
                .full,
                "\(count) writes of the other end were lost: they came faster than they were taken"
            )
        )
    }

    private mutating func passTime(_ now: Duration) -> [Action] {
        switch state {
        case .opening(let limit?) where limit <= now:
            return fail(
                SocketError(
                    .bluetoothOff,
                    "the socket was not opened: Bluetooth was not on within "
                        + "\(openLimit.map(\.inUnits) ?? "its limit")"
                )
            )
        case .waiting(let time) where time <= now:
            // One that is connected is about to subscribe.
            guard centrals.isEmpty else {
                state = .waiting(until: now + advertisingInterval)
                return []
            }
            state = .advertising
            return [.stopAdvertising, .advertise]
        case .pausing(let time) where time <= now:
            state = .adding
            return [.publish]
        case .leaving(let time) where time <= now: return fail(Self.departure)
        case .finishing(let time) where time <= now: return endOrOpen(nil)
        case .idle, .opening, .adding, .advertising, .waiting, .open, .leaving, .finishing,
            .pausing:
            return []
        }
    }

    mutating func fail(_ error: SocketError) -> [Action] {
        isOpen || isLeaving ? endOrOpen(error) : end() + [.didCloseUnexpectedly(error)]
    }

    /// It is over, as the other end is; opens again where that is wanted.
    ///
    /// - Parameter error: why; `nil` where that is known.
    /// - Returns: what is to be done.
    mutating func endOrOpen(_ error: SocketError?) -> [Action] {
        let opensAgain = reconnects && radio == .on
        let actions = end() + [error.map { Action.didCloseUnexpectedly($0) } ?? .didClose]
        guard opensAgain else { return actions }
        radio = .on
        state = .adding
        return actions + [.publish]
    }

    /// What takes back what the system has of it.
    private var removing: [Action] {
        switch state {
        case .idle, .opening, .pausing: []
        case .adding, .advertising, .waiting, .open, .leaving, .finishing:
            [.stopAdvertising, .withdraw]
        }
    }

    /// Goes on in another state once the system has what it needs.
    mutating func lose(_ error: SocketError, _ next: State) -> [Action] {
        let removing = removing
        let losing: [Action] = isOpen ? [.didLose(error)] : []
        state = next
        centrals = []
        return removing + losing
    }

    /// Is idle; what the system has of it goes.
    mutating func end() -> [Action] {
        defer {
            state = .idle
            radio = .absent
            centrals = []
            resumes = false
        }
        return removing
    }
}
