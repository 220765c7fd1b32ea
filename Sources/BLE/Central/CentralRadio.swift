/// A radio that scans for peripherals and connects to them.
///
/// No method has a time limit. Each one ends with its result, with an error, or when its task is
/// cancelled; it also ends, at once, when the peer, the radio or the system's Bluetooth service is
/// lost. The caller sets a limit and cancels. Methods may be called from any task, also several at
/// once.
///
/// <doc:WritingAnAdapter> describes what a conforming type has to do.
public protocol CentralRadio: NamedRadio {
    /// Whether the radio can be used now.
    var state: RadioState { get async }

    /// Returns the radio's state, now and after each change.
    ///
    /// - Returns: a stream whose first element is the current state. It ends when the radio is closed
    ///   for good, not when it is off or absent. A slow consumer gets the latest state only.
    func states() async -> AsyncStream<RadioState>

    /// Starts a scan.
    ///
    /// Each advertisement that is received from a matching peer is reported as ``ScanEvent/seen(_:)``,
    /// also when nothing has changed. Peers that the system knows already are not reported before they
    /// advertise. Several scans can run at once, each with a filter of its own. A connection that is
    /// being made may pause a scan, which then continues by itself.
    ///
    /// - Parameter filter: the peers to report.
    /// - Returns: a stream of events, once the radio scans. The scan stops when the stream is no longer
    ///   consumed. The stream throws a ``RadioError`` when the radio is turned off or removed. At most
    ///   256 events wait for a slow consumer; the oldest are dropped.
    /// - Throws: ``RadioError``, `CancellationError`.
    func scan(_ filter: ScanFilter) async throws -> AsyncThrowingStream<ScanEvent, any Error>

    /// Connects to a peer.
    ///
    /// Cancelling the task cancels the attempt. The connection to a peer is shared: each call returns a
    /// link of its own, over the connection that is there already, or over a new one. The connection
    /// ends when the last link over it has been disconnected, unless another program uses it. That the
    /// peer made the connection, as a central of this program's ``Publication``, makes no difference;
    /// then it is the peer that ends it.
    ///
    /// - Parameters:
    ///   - peer: a peer that a scan has reported, or a central of a publication.
    ///   - options: how the connection is made.
    /// - Returns: a link, once there is a connection; call ``Link/discoverServices()`` next.
    /// - Throws: ``RadioError`` with ``RadioError/Code/unknownPeer`` when the peer has to be seen in a
    ///   scan first, ``RadioError/Code/connectionFailed`` when no connection was established,
    ///   ``RadioError/Code/limitReached`` when the radio has no room for another connection;
    ///   `CancellationError`.
    func connect(to peer: PeerID, options: ConnectionOptions) async throws -> any Link
}

extension CentralRadio {
    /// Connects to a peer, as ``connect(to:options:)`` without an option.
    ///
    /// - Parameter peer: a peer that a scan has reported, or a central of a publication.
    /// - Returns: a link, once there is a connection.
    /// - Throws: ``RadioError``, `CancellationError`.
    public func connect(to peer: PeerID) async throws -> any Link {
        try await connect(to: peer, options: [])
    }
}
