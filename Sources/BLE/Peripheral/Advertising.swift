/// An advertisement that a radio sends, apart from what is published.
///
/// It ends with ``stop()``, and when the radio is removed or its system's service ends. It outlasts the
/// radio being off where the system keeps it; then it is on the air again by itself.
public protocol Advertising: Sendable {
    /// Advertises something else from now on, or once ``resume()`` is called.
    ///
    /// Between the two advertisements nothing may be on the air for a moment.
    ///
    /// - Parameter advertisement: what to advertise; it is validated before anything is sent.
    /// - Throws: ``RadioError``, `CancellationError`; what was advertised before stays, or, if the radio takes that no longer
    ///   either, it is paused.
    func update(_ advertisement: Advertisement) async throws

    /// Advertises no longer, until ``resume()``. Does nothing when paused.
    ///
    /// Another program's advertisement may take its place meanwhile.
    ///
    /// - Throws: ``RadioError`` with ``RadioError/Code/withdrawn`` after the end; `CancellationError`.
    func pause() async throws

    /// Advertises again. Does nothing unless paused.
    ///
    /// - Throws: ``RadioError`` with ``RadioError/Code/limitReached`` when the radio has no room any longer,
    ///   ``RadioError/Code/withdrawn`` after the end; `CancellationError`. Then it stays paused.
    func resume() async throws

    /// Ends the advertisement for good.
    ///
    /// Returns when the system has confirmed, or is gone. Does nothing when it has ended.
    func stop() async

    /// Waits for the end.
    ///
    /// Returns after ``stop()``.
    ///
    /// - Throws: the ``RadioError`` with which it ended otherwise; `CancellationError`.
    func waitUntilEnded() async throws
}
