/// A radio that publishes services to centrals.
///
/// As for ``CentralRadio``, no method has a time limit: each one ends with its result, an error,
/// cancellation or a loss, and the caller sets the limit.
///
/// <doc:WritingAnAdapter> describes what a conforming type has to do.
public protocol PeripheralRadio: NamedRadio {
    /// Whether the radio can be used now.
    var state: RadioState { get async }

    /// Returns the radio's state, now and after each change.
    ///
    /// - Returns: a stream whose first element is the current state. It ends when the radio is closed
    ///   for good, not when it is off or absent. A slow consumer gets the latest state only.
    func states() async -> AsyncStream<RadioState>

    /// Publishes a service and advertises it.
    ///
    /// - Parameters:
    ///   - service: the service.
    ///   - advertisement: what to advertise; it is validated before anything is sent.
    ///   - responder: handles the requests of centrals. The radio keeps it until the publication ends.
    /// - Returns: the publication, once centrals can discover it.
    /// - Throws: ``RadioError``, `CancellationError`; then nothing stays published.
    func publish(
        _ service: GATTService,
        advertising advertisement: Advertisement,
        responder: any GATTResponder
    ) async throws -> any Publication
}
