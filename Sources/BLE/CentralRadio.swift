/// A radio that hears peripherals and connects to them.
///
/// No method has a time limit of its own: a wait ends with the reply, with an error, with the
/// cancellation of the task, or with the loss of peer, radio or system service, at once in each
/// case. Whoever calls sets the limit, and cancels.
public protocol CentralRadio: Sendable {
    /// Whether the radio can be used, now.
    var state: RadioState { get async }

    /// Tells the radio's state, now and at each change.
    ///
    /// - Returns: a stream whose first element is the present state. It ends when the radio is
    ///   closed for good, never because the radio is off or absent. Only the newest state waits for
    ///   a slow consumer.
    func states() async -> AsyncStream<RadioState>

    /// Begins to listen.
    ///
    /// A peer that the system knows already is reported when it is heard, not before. Each report
    /// is a ``ScanEvent/seen(_:)``, also without change: RSSI is judged anew each time. Several
    /// scans may run at once, each with its filter. Connecting may pause a scan; it goes on by
    /// itself.
    ///
    /// - Parameter filter: which peers are reported.
    /// - Returns: a stream of reports, once the radio listens. The scan ends when the stream is no
    ///   longer consumed. The stream throws a ``RadioError`` when the radio goes off or away.
    ///   A slow consumer loses the oldest of more than 256 waiting reports.
    /// - Throws: ``RadioError``, `CancellationError`.
    func scan(_ filter: ScanFilter) async throws -> AsyncThrowingStream<ScanEvent, any Error>

    /// Connects to a peer, and reads which services it has.
    ///
    /// A peer that is connected already, by this program or by another, gives a link at once.
    /// Cancelling takes the attempt back.
    ///
    /// - Parameters:
    ///   - peer: who was seen in a scan.
    ///   - didLink: called once, when the link has come about and its services are not known yet; not
    ///     for a link that was there. The radio goes on when it returns.
    /// - Returns: a link that is up, its services known.
    /// - Throws: ``RadioError`` with ``RadioError/Code/unknownPeer`` when the peer has to be seen
    ///   anew, ``RadioError/Code/connectionFailed`` when no link came about,
    ///   ``RadioError/Code/busy`` when a connection to this peer is being made already;
    ///   `CancellationError`.
    func connect(
        to peer: PeerID,
        didLink: @escaping @Sendable () async -> Void
    ) async throws -> any Link
}

extension CentralRadio {
    /// Connects to a peer, and reads which services it has.
    ///
    /// - Parameter peer: who was seen in a scan.
    /// - Returns: a link that is up, its services known.
    /// - Throws: ``RadioError``, `CancellationError`; see ``connect(to:didLink:)``.
    public func connect(to peer: PeerID) async throws -> any Link {
        try await connect(to: peer) {}
    }
}
