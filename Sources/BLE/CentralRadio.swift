/// What ``CentralRadio/connect(to:didLink:)`` calls when the connection is established.
///
/// An `async` function type is not the same type in each module: the compiler's setting
/// `NonisolatedNonsendingByDefault` changes it. With this name a radio conforms in either case.
public typealias LinkCallback = @Sendable () async -> Void

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

    /// Connects to a peer and discovers its services.
    ///
    /// Cancelling the task cancels the attempt. A peer that another program is connected to is not
    /// connected again: a link over the same connection is returned once its services are known. Within
    /// this program a link has one user.
    ///
    /// - Parameters:
    ///   - peer: a peer that a scan has reported.
    ///   - didLink: called at most once, when the connection is established and its services are not
    ///     known yet. Not called for a connection that existed. Discovery waits until it returns.
    /// - Returns: a link that is connected, its services known.
    /// - Throws: ``RadioError`` with ``RadioError/Code/unknownPeer`` when the peer has to be seen in a
    ///   scan first, ``RadioError/Code/connectionFailed`` when no connection was established,
    ///   ``RadioError/Code/busy`` when a connection to this peer is being made already,
    ///   ``RadioError/Code/linkInUse`` when this radio has a link to it; `CancellationError`.
    func connect(
        to peer: PeerID,
        didLink: @escaping LinkCallback
    ) async throws -> any Link
}

extension CentralRadio {
    /// Connects to a peer and discovers its services.
    ///
    /// - Parameter peer: a peer that a scan has reported.
    /// - Returns: a link that is connected, its services known.
    /// - Throws: ``RadioError``, `CancellationError`; see ``connect(to:didLink:)``.
    public func connect(to peer: PeerID) async throws -> any Link {
        try await connect(to: peer) {}
    }
}
