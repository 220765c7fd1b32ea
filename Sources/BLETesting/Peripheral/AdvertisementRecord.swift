internal import BLE

/// What the air knows of an advertisement.
struct AdvertisementRecord {
    enum State {
        case paused, advertising
        /// Why; `nil` when the program has ended it.
        case ended(RadioError?)
    }

    let radio: PeerID
    /// With what it ends; `nil` when it ends by itself.
    let publication: Int?
    /// With which it can be asked for its end; `nil` for one of a publication.
    weak var handle: MemoryAdvertising?
    var content: Advertisement
    var state = State.advertising
    /// Runs while somebody scans.
    var timer: Task<Void, Never>?
    var endWaits: [Promise<Void>] = []

    var isAdvertising: Bool {
        if case .advertising = state { true } else { false }
    }

    var hasEnded: Bool {
        if case .ended = state { true } else { false }
    }

    /// - Throws: ``RadioError`` when it has ended.
    func checkNotEnded() throws(RadioError) {
        guard case .ended(let error) = state else { return }
        let reason = error.map { ": \($0)" } ?? ""
        throw RadioError(.withdrawn, "the advertisement has ended\(reason)", underlying: error)
    }
}
