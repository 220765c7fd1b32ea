/// A radio that publishes services and answers the centrals that connect.
///
/// As with ``CentralRadio``, waits end on reply, error, cancellation or loss; limits are the
/// caller's.
public protocol PeripheralRadio: Sendable {
    /// Whether the radio can be used, now.
    var state: RadioState { get async }

    /// Tells the radio's state, now and at each change.
    ///
    /// - Returns: a stream whose first element is the present state. It ends when the radio is
    ///   closed for good, never because the radio is off or absent. Only the newest state waits for
    ///   a slow consumer.
    func states() async -> AsyncStream<RadioState>

    /// Serves a service and advertises it.
    ///
    /// - Parameters:
    ///   - service: what to serve.
    ///   - advertisement: what to say of it; it is checked before anything is sent.
    ///   - responder: who answers reads and writes. It is held until the publication ends.
    /// - Returns: the publication, once centrals can see it.
    /// - Throws: ``RadioError``, `CancellationError`; then nothing stays published.
    func publish(
        _ service: GATTService,
        advertising advertisement: Advertisement,
        responder: any GATTResponder
    ) async throws -> any Publication
}
