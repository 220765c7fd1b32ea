/// A radio that publishes services to centrals, and advertises.
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

    /// Publishes services, and advertises if an advertisement is given.
    ///
    /// That advertisement lasts as long as the publication. For one that starts and ends by itself, publish
    /// without one, and call ``advertise(_:)``.
    ///
    /// - Parameters:
    ///   - services: the services.
    ///   - advertisement: what to advertise, validated before anything is sent; `nil` for nothing.
    ///   - options: what the publication does differently.
    ///   - responder: handles the requests of centrals. The radio keeps it until the publication ends.
    /// - Returns: the publication, once centrals can discover it.
    /// - Throws: ``RadioError``, `CancellationError`; then nothing stays published.
    func publish(
        _ services: [GATTService],
        advertising advertisement: Advertisement?,
        options: PublicationOptions,
        responder: any GATTResponder
    ) async throws -> any Publication

    /// Advertises, apart from what is published.
    ///
    /// - Parameter advertisement: what to advertise; it is validated before anything is sent.
    /// - Returns: the advertisement's handle, once it is on the air.
    /// - Throws: ``RadioError`` with ``RadioError/Code/invalidAdvertisement``,
    ///   ``RadioError/Code/limitReached`` when the radio has no room for another one, of which the message
    ///   says how many there are; `CancellationError`. Then nothing stays on the air.
    func advertise(_ advertisement: Advertisement) async throws -> any Advertising
}

extension PeripheralRadio {
    /// Publishes one service, and advertises it.
    ///
    /// - Parameters:
    ///   - service: the service.
    ///   - advertisement: what to advertise; `nil` for nothing.
    ///   - options: what the publication does differently.
    ///   - responder: handles the requests of centrals.
    /// - Returns: the publication, once centrals can discover it.
    /// - Throws: ``RadioError``, `CancellationError`; then nothing stays published.
    public func publish(
        _ service: GATTService,
        advertising advertisement: Advertisement?,
        options: PublicationOptions = [],
        responder: any GATTResponder
    ) async throws -> any Publication {
        try await publish(
            [service],
            advertising: advertisement,
            options: options,
            responder: responder
        )
    }
}
