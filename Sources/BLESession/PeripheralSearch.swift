package import BLE
internal import BLELocking

/// Looks for a peripheral, and connects to it; knows how far that has come.
package final class PeripheralSearch: Sendable {
    private let service: BluetoothUUID
    private let peer: PeerID?
    /// How long an attempt may take, from the call of the peer until the link can be used.
    private let attemptLimit: Duration
    private let lastFound = Locked<PeerID?>(nil)
    private let failure = Locked<RadioError?>(nil)
    /// How long the radio is left alone after an attempt that failed.
    private static let pause = Duration.milliseconds(200)
    /// What an attempt takes at most that comes to something.
    private static let longestAttempt = Duration.seconds(15)

    /// - Parameters:
    ///   - service: which it has.
    ///   - peer: which it is; `nil` for the first that advertises the service.
    ///   - limit: how long whoever searches waits in all. An attempt has two fifths of it: a bluetoothd needs four seconds to end
    ///     one, and then there is time for another one.
    package init(service: BluetoothUUID, peer: PeerID?, limit: Duration) {
        self.service = service
        self.peer = peer
        attemptLimit = min(limit * 2 / 5, Self.longestAttempt)
    }

    /// Connects to it, and prepares the link; tries again as long as that may come to something.
    ///
    /// It is looked for where the system does not know it. An attempt that takes long is given up for another one.
    ///
    /// - Parameters:
    ///   - radio: over which.
    ///   - clock: measures the pauses, and each attempt.
    ///   - hasNeeded: whether its services are what is needed.
    ///   - prepare: does what makes the link usable; see ``BLE/CentralRadio/prepareLink(to:where:within:on:_:)``.
    /// - Returns: what was prepared.
    /// - Throws: what another attempt cannot mend; `CancellationError`.
    package func link<Prepared: Sendable>(
        over radio: any CentralRadio,
        on clock: any Clock<Duration>,
        where hasNeeded: @escaping @Sendable ([GATTService]) -> Bool,
        prepare: @escaping @Sendable (any Link, [GATTService]) async throws -> Prepared
    ) async throws -> Prepared {
        var known = peer
        while true {
            do {
                let next = if let known { known } else { try await find(with: radio) }
                return try await radio.prepareLink(
                    to: next,
                    where: hasNeeded,
                    within: attemptLimit,
                    on: clock,
                    prepare
                )
            } catch let error as RadioError where error.code.mayPass {
                failure.withLock { $0 = error }
                if error.code == .unknownPeer, known != nil {
                    known = nil
                    continue
                }
            }
            try await clock.sleep(for: Self.pause)
        }
    }

    private func find(with radio: any CentralRadio) async throws -> PeerID {
        for try await event in try await radio.scan(ScanFilter(service: service)) {
            guard case .seen(let sighting) = event, peer == nil || peer == sighting.peer else {
                continue
            }
            lastFound.withLock { $0 = sighting.peer }
            return sighting.peer
        }
        // A scan's stream ends so when the task is cancelled, and when the radio is closed.
        try Task.checkCancellation()
        throw RadioError(.absent, "looking for a peripheral: the radio was closed")
    }

    /// Who was seen last; `nil` when nobody was.
    package var found: PeerID? { lastFound.withLock { $0 } }

    /// Why the last attempt failed that was followed by another one.
    package var lastError: RadioError? { failure.withLock { $0 } }
}

extension RadioError.Code {
    /// Whether another attempt may succeed.
    fileprivate var mayPass: Bool {
        switch self {
        case .peerGone, .unknownPeer, .connectionFailed, .servicesInvalidated, .busy, .timedOut:
            true
        default: false
        }
    }
}
