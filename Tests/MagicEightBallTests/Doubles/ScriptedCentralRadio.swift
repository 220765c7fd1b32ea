import BLE

/// A radio whose peers and replies a test decides.
///
/// As a real one: requests end on cancellation, a link's stream ends after its disconnection, a
/// scan throws when the radio goes off.
actor ScriptedCentralRadio: CentralRadio {
    nonisolated let executor: any RadioExecutor = TimelessExecutor()
    nonisolated let requests = Feed<ScriptedRequest>()
    private(set) var state = RadioState.on
    nonisolated let scansBegun = Feed<Int>()
    nonisolated let scansEnded = Feed<Void>()
    private var scanCount = 0
    private var scanError: RadioError?
    private var isClosed = false
    private var watchers: [AsyncStream<RadioState>.Continuation] = []
    private var scans: [AsyncThrowingStream<ScanEvent, any Error>.Continuation] = []
    private var links: [PeerID: ScriptedLink] = [:]
    private var mtuBytes = 517
    private var services: [GATTService] = []
    private var resolvesSlowly = false
    private var scansSlowly = false

    func states() -> AsyncStream<RadioState> {
        let (states, continuation) = AsyncStream.makeStream(
            of: RadioState.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        continuation.yield(state)
        watchers.append(continuation)
        if isClosed { continuation.finish() }
        return states
    }

    func scan(_ filter: ScanFilter) async throws -> AsyncThrowingStream<ScanEvent, any Error> {
        if scansSlowly { try await ScriptedRequest.make(.scan, in: requests.continuation) }
        if let scanError { throw scanError }
        let (events, continuation) = AsyncThrowingStream.makeStream(of: ScanEvent.self)
        scans.append(continuation)
        continuation.onTermination = { [scansEnded] _ in scansEnded.continuation.yield() }
        scanCount += 1
        scansBegun.continuation.yield(scanCount)
        return events
    }

    func connect(to peer: PeerID, options: ConnectionOptions) async throws -> any Link {
        try await ScriptedRequest.make(.connect(peer), in: requests.continuation)
        let link = ScriptedLink(
            peer: peer,
            services: services,
            mtuBytes: mtuBytes,
            resolvesSlowly: resolvesSlowly,
            requests: requests.continuation
        )
        links[peer] = link
        return link
    }

    // MARK: What the test says

    func setMTU(_ bytes: Int) { mtuBytes = bytes }

    /// What each peer has, from the next link on.
    func setServices(_ services: [GATTService]) { self.services = services }

    /// From the next link on reading the services is a request.
    func resolveSlowly() { resolvesSlowly = true }

    /// From now on beginning a scan is a request.
    func scanSlowly() { scansSlowly = true }

    func setScanError(_ error: RadioError?) { scanError = error }

    /// Closes the radio for good.
    func close() {
        isClosed = true
        for watcher in watchers { watcher.finish() }
    }

    func become(_ state: RadioState) {
        self.state = state
        for watcher in watchers { watcher.yield(state) }
        guard state != .on else { return }
        let code: RadioError.Code = state == .off ? .off : .noService
        for scan in scans { scan.finish(throwing: RadioError(code, "the radio is \(state)")) }
        scans = []
    }

    func report(_ event: ScanEvent) {
        for scan in scans { scan.yield(event) }
    }

    /// Lets a peer be heard, whose identity is its name unless told otherwise.
    func sight(_ name: String, rssi: Int? = -50, as peer: String? = nil) {
        report(
            .seen(
                Sighting(
                    peer: PeerID(rawValue: peer ?? name),
                    name: name,
                    rssi: rssi.map { RSSI($0) },
                    serviceUUIDs: ["8E38140A-27BE-4090-8955-4FC4B5698D1E"]
                )
            )
        )
    }

    /// Lets a peer say something; a notification has been taken when this returns.
    func say(_ event: LinkEvent, from name: String) async {
        guard let link = links[PeerID(rawValue: name)] else { return }
        await link.say(event)
        if case .disconnected = event { links[PeerID(rawValue: name)] = nil }
    }
}

/// A link of a ``ScriptedCentralRadio``.
struct ScriptedLink: QuestionLink {
    let peer: PeerID
    let services: [GATTService]
    let mtuBytes: Int
    let events: AsyncStream<LinkEvent>
    /// Whether reading the services is a request.
    private let resolvesSlowly: Bool
    private let requests: AsyncStream<ScriptedRequest>.Continuation
    private let sayings = Feed<LinkEvent?>()
    /// An element each time when the consumer is ready for the next event.
    private let readiness = Feed<Void>()

    init(
        peer: PeerID,
        services: [GATTService],
        mtuBytes: Int,
        resolvesSlowly: Bool,
        requests: AsyncStream<ScriptedRequest>.Continuation
    ) {
        self.peer = peer
        self.services = services
        self.mtuBytes = mtuBytes
        self.resolvesSlowly = resolvesSlowly
        self.requests = requests
        events = AsyncStream { [sayings, readiness] in
            readiness.continuation.yield()
            return await sayings.next() ?? nil
        }
    }

    func say(_ event: LinkEvent) async {
        switch event {
        case .notification:
            // Ready for this one, then for the next; then this one has been dealt with.
            _ = await readiness.next()
            sayings.continuation.yield(event)
            _ = await readiness.next()
            readiness.continuation.yield()
        case .servicesInvalidated, .mtuChanged:
            sayings.continuation.yield(event)
        case .disconnected:
            sayings.continuation.yield(event)
            sayings.continuation.yield(nil)
        }
    }

    func discoverServices() async throws -> [GATTService] {
        if resolvesSlowly { try await ScriptedRequest.make(.resolve, in: requests) }
        return services
    }

    func read(_ characteristic: AttributeID) async throws -> [UInt8] {
        try await ScriptedRequest.read(.read, in: requests)
    }

    func write(_ value: [UInt8], to characteristic: AttributeID) async throws {
        try await ScriptedRequest.make(.write(value), in: requests)
    }

    func subscribe(to characteristic: AttributeID) async throws {
        try await ScriptedRequest.make(.subscribe, in: requests)
    }

    func unsubscribe(from characteristic: AttributeID) async throws {
        try await ScriptedRequest.make(.unsubscribe, in: requests)
    }

    func disconnect() async {
        // Handed over without waiting, as the port has it.
        let (_, reply) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        requests.yield(ScriptedRequest(kind: .disconnect, reply: reply))
    }

    func writeWithoutResponse(_ value: [UInt8], to characteristic: AttributeID) async throws {
        try await ScriptedRequest.make(.command(value), in: requests)
    }
}
