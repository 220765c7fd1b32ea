public import BLE

/// A radio in memory, in both roles.
///
/// It does what `CentralRadio`, `PeripheralRadio` and their article *Writing an adapter* promise. Its methods
/// `simulate…` do what a radio, its system or its peers may do at any time.
public struct MemoryRadio: Radio {
    /// The radio's name.
    public let name: String

    /// The air that the radio is in.
    public let air: MemoryAir

    init(_ name: String, in air: MemoryAir) {
        self.name = name
        self.air = air
    }

    /// What other radios call this one.
    public var peer: PeerID { PeerID(rawValue: name) }

    /// The air's executor: that of all its radios.
    public var executor: any RadioExecutor { air.executor }

    /// What the radio can do now: what its ``Configuration`` says, and how many advertisements there are.
    public var capabilities: RadioCapabilities {
        get async { await air.capabilities(of: peer) }
    }

    /// Whether the radio can be used now.
    public var state: RadioState {
        get async { await air.state(of: peer) }
    }

    /// Returns the radio's state, now and after each change.
    ///
    /// - Returns: a stream whose first element is the current state. It ends when the radio is closed.
    public func states() async -> AsyncStream<RadioState> {
        await air.states(of: peer)
    }

    /// Starts a scan.
    ///
    /// A peer that advertises is reported at once, then each time that its interval is over.
    ///
    /// - Parameter filter: the peers to report.
    /// - Returns: a stream of events, of which the 256 latest wait for their consumer.
    /// - Throws: `RadioError`, `CancellationError`.
    public func scan(_ filter: ScanFilter) async throws -> AsyncThrowingStream<ScanEvent, any Error>
    {
        try await air.scan(filter, by: peer)
    }

    /// Connects to a peer.
    ///
    /// - Parameters:
    ///   - peer: a peer that a scan has reported, or a central of a publication.
    ///   - options: make no difference here.
    /// - Returns: a link, once there is a connection.
    /// - Throws: `RadioError` with `connectionFailed` at once when the peer is off, out of reach, or doesn't
    ///   advertise that it is connectable, and as said at `CentralRadio`; `CancellationError`.
    public func connect(to peer: PeerID, options: ConnectionOptions) async throws -> any Link {
        try await air.connect(self.peer, to: peer)
    }

    /// Publishes services, and advertises if an advertisement is given.
    ///
    /// As in BlueZ, characteristics may have both `write` and `writeWithoutResponse` only with the option
    /// `lostRefusals`; then every write to them is accepted before the responder is asked.
    ///
    /// - Parameters:
    ///   - services: the services.
    ///   - advertisement: what to advertise; `nil` for nothing.
    ///   - options: what the publication does differently.
    ///   - responder: handles the requests of centrals.
    /// - Returns: the publication.
    /// - Throws: `RadioError`, `CancellationError`; then nothing stays published.
    public func publish(
        _ services: [GATTService],
        advertising advertisement: Advertisement?,
        options: PublicationOptions,
        responder: any GATTResponder
    ) async throws -> any Publication {
        try await air.publish(
            services,
            advertising: advertisement,
            options: options,
            responder: responder,
            by: peer
        )
    }

    /// Advertises, apart from what is published.
    ///
    /// - Parameter advertisement: what to advertise.
    /// - Returns: the advertisement's handle.
    /// - Throws: `RadioError` with `invalidAdvertisement`, or with `limitReached` when there are as many as the
    ///   ``Configuration`` allows; `CancellationError`.
    public func advertise(_ advertisement: Advertisement) async throws -> any Advertising {
        try await air.advertise(advertisement, by: peer)
    }

    /// Closes the radio for good.
    ///
    /// Its scans, links and publications end without an error, as those of a BlueZ adapter; attempts to connect throw
    /// `absent`, as all that is asked of it later; its states end, too. Its peers lose their connections.
    public func close() async {
        await air.close(peer)
    }
}
