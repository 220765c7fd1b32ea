internal import BLE

/// The indications of one characteristic, of which one is outstanding at a time.
///
/// A value: it says what is sent next, and what came of each.
///
/// Source: Core specification, Vol 3, Part F, 3.3.3.
struct IndicationQueue {
    /// How many may wait for their turn.
    static let maximumCount = 256

    struct Indication {
        let id: Int
        let value: [UInt8]
        /// The one central that it is meant for; `nil` for all subscribers.
        let central: PeerID?
        /// `nil` when nobody waits for the confirmation.
        let outcome: Promise<Confirmation>?
    }

    private struct Outstanding {
        let indication: Indication
        var unconfirmed: Set<PeerID>
        var outcome = Confirmation.confirmed
    }

    private var outstanding: Outstanding?
    /// Ends the outstanding one when its time is over.
    var timer: Task<Void, Never>?
    private var waiting: [Indication] = []

    /// How many are outstanding or wait.
    var count: Int { waiting.count + (outstanding == nil ? 0 : 1) }

    /// How many wait for their turn.
    var waitingCount: Int { waiting.count }

    /// Whether no more may wait.
    var isFull: Bool { waitingCount >= Self.maximumCount }

    /// Adds an indication.
    ///
    /// - Parameters:
    ///   - indication: the indication.
    ///   - wasHeld: whether it has waited for the reply to a write, and had room there.
    /// - Returns: whether there was room.
    mutating func add(_ indication: Indication, wasHeld: Bool = false) -> Bool {
        guard wasHeld || !isFull else { return false }
        waiting.append(indication)
        return true
    }

    /// Whoever waited for an indication was cancelled.
    mutating func cancel(_ id: Int) {
        waiting.removeAll { $0.id == id }
    }

    /// Takes out what is to be sent now; without subscribers nothing is.
    mutating func next(
        _ subscribers: [PeerID]
    ) -> (indication: Indication, centrals: [PeerID])? {
        while outstanding == nil, !waiting.isEmpty {
            let indication = waiting.removeFirst()
            let centrals = subscribers.filter { $0 == indication.central ?? $0 }
            guard !centrals.isEmpty else {
                indication.outcome?.fulfil(.success(.unconfirmed))
                continue
            }
            outstanding = Outstanding(indication: indication, unconfirmed: Set(centrals))
            return (indication, centrals)
        }
        return nil
    }

    /// A central has confirmed, or it no longer can.
    mutating func end(_ id: Int?, of central: PeerID, _ outcome: Confirmation) {
        guard let indication = outstanding?.indication, id == nil || id == indication.id,
            outstanding?.unconfirmed.remove(central) != nil
        else { return }
        if outcome == .unconfirmed { outstanding?.outcome = .unconfirmed }
        if outstanding?.unconfirmed.isEmpty == true { finish() }
    }

    /// The time for the confirmations is over.
    mutating func expire(_ id: Int) {
        guard outstanding?.indication.id == id else { return }
        outstanding?.outcome = .unconfirmed
        finish()
    }

    private mutating func finish() {
        guard let finished = outstanding else { return }
        timer?.cancel()
        outstanding = nil
        finished.indication.outcome?.fulfil(.success(finished.outcome))
    }

    mutating func failAll(_ error: RadioError) {
        let all = [outstanding?.indication].compactMap(\.self) + waiting
        timer?.cancel()
        outstanding = nil
        waiting = []
        for indication in all { indication.outcome?.fail(error) }
    }
}
