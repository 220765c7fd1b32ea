internal import BLEDBus

/// The clients that discover with an adapter, and their filters.
struct DiscoverySessions {
    /// What becomes of the controller's scan when a client stops its discovery.
    enum End {
        case goesOn
        case stops
        /// The controller scans no more, and need not be asked first.
        case stopsBeforeReply
    }

    /// What becomes of a client's call to start its discovery.
    enum Start {
        /// The controller scans already; the client gets its reply.
        case goesOn
        /// The controller is asked to scan; the client gets its reply when it does.
        case begins
    }

    private struct Session {
        var filter: DiscoveryFilter?
        var isOn = false
        /// Whether the client's last call has no reply, and may never get one.
        var isUnanswered = false
    }

    /// By the client's unique name.
    private var sessions: [String: Session] = [:]

    /// Whether the controller has stopped though a client discovers.
    private var isPaused = false

    /// Whether the controller is asked to scan, and does not yet.
    private(set) var isStarting = false

    /// The client that gets the reply once it does.
    private var lastStarter: String?

    private var onCount: Int { sessions.values.count(where: \.isOn) }

    /// Whether the controller receives what is advertised.
    var isListening: Bool { onCount > 0 && !isPaused && !isStarting }

    mutating func setFilter(_ filter: DiscoveryFilter?, of client: String) {
        sessions[client, default: Session()].filter = filter
    }

    /// Begins a client's discovery.
    ///
    /// The original replies to the last alone of the clients that begin while the controller is asked to
    /// scan. It takes the others for busy until they leave, or the adapter goes off.
    mutating func start(_ client: String) throws(ErrorReply) -> Start {
        guard sessions[client]?.isOn != true else { throw .alreadyInProgress }
        let begins = !isListening
        sessions[client, default: Session()].isOn = true
        guard begins else { return .goesOn }
        isPaused = false
        sessions[client]?.isUnanswered = true
        isStarting = true
        lastStarter = client
        return .begins
    }

    /// The controller scans.
    mutating func didStart() {
        if let lastStarter { sessions[lastStarter]?.isUnanswered = false }
        isStarting = false
        lastStarter = nil
    }

    /// Ends a client's discovery; its filter stays.
    mutating func stop(_ client: String) throws(ErrorReply) -> End {
        guard let session = sessions[client], session.isOn else {
            throw .failed("No discovery started")
        }
        guard !session.isUnanswered else { throw .alreadyInProgress }
        sessions[client]?.isOn = false
        guard onCount == 0 else { return .goesOn }
        defer { isPaused = false }
        return isPaused ? .stopsBeforeReply : .stops
    }

    /// Forgets all clients' discovery, with their filters, as the adapter goes off.
    ///
    /// Source: BlueZ, src/adapter.c, `adapter_stop`, `remove_discovery_list`.
    mutating func stopAll() {
        self = DiscoverySessions()
    }

    /// Forgets a client that has left, with its filter.
    ///
    /// The original counts one that has set a filter as one that discovers: unless two others do, the
    /// controller stops, and the other one gets nothing until somebody starts anew.
    ///
    /// - Parameter client: its unique name.
    /// - Returns: whether the controller stops.
    mutating func remove(_ client: String) -> Bool {
        guard let session = sessions.removeValue(forKey: client),
            session.isOn || session.filter != nil
        else { return false }
        if lastStarter == client { lastStarter = nil }
        let others = onCount
        if others == 0 { isStarting = false }
        guard session.isOn ? others == 0 : others < 2 else { return false }
        isPaused = others > 0
        return true
    }

    // MARK: - Filters

    /// Whether an advertisement is reported to one of its clients.
    func reports(
        _ advertisement: RegisteredAdvertisement,
        from address: String,
        rssi: Int16,
        countingTransport: Bool
    ) -> Bool {
        sessions.values.contains { session in
            guard session.isOn else { return false }
            guard let filter = session.filter else { return advertisement.isDiscoverable }
            guard countingTransport || filter.hasMoreThanTransport || advertisement.isDiscoverable
            else { return false }
            return filter.matches(advertisement, from: address, rssi: rssi)
        }
    }

    /// Whether one of its clients scans with a filter that counts.
    func isFiltered(countingTransport: Bool) -> Bool {
        sessions.values.contains { session in
            guard session.isOn else { return false }
            return session.filter.map { countingTransport || $0.hasMoreThanTransport } ?? false
        }
    }

    /// Whether one of its clients scans without a filter that the controller knows.
    var isUnfiltered: Bool {
        sessions.values.contains { $0.isOn && $0.filter?.isForEverybody ?? true }
    }

    /// Whether one of its clients looks for services.
    var looksForServices: Bool {
        sessions.values.contains { $0.isOn && $0.filter?.hasUUIDs == true }
    }
}
