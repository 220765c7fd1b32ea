/// Handles the requests of the centrals of a ``Publication``.
///
/// The radio calls one method at a time, in the order in which requests and events arrived; those of
/// an actor, or of a `@MainActor` class, run there.
///
/// Reply at once, with what is known. While a write waits for its reply, all other requests wait
/// behind it. After 4 s the radio refuses in the responder's place. No refusal of a write to a characteristic that
/// takes writes without a response reaches a central: such a write is accepted then, and handed over when its turn
/// comes. 1024 requests may wait; more are refused at once, and how many of those writes were lost says
/// ``PublicationEvent/lostWrites(_:to:from:)`` in their place. And every version of bluetoothd tried so far crashes when the connection is lost while a write waits.
/// What takes longer is notified later, with ``Publication/update(_:to:)``.
public protocol GATTResponder: Sendable {
    /// Called once, before anything else: the services are published as this.
    ///
    /// The publication keeps the responder until it ends; a responder that keeps the publication lets it
    /// go at ``PublicationEvent/ended(_:)``, or when it withdraws it.
    ///
    /// - Parameter publication: with which to notify, and to disconnect centrals.
    func didPublish(_ publication: any Publication) async

    /// Handles a read.
    ///
    /// - Parameters:
    ///   - characteristic: the characteristic to read.
    ///   - request: the central and the offset.
    /// - Returns: the whole value; the radio removes what comes before the offset.
    /// - Throws: the error that the central gets.
    func read(
        _ characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) -> [UInt8]

    /// Handles a write.
    ///
    /// - Parameters:
    ///   - value: the value; a long write arrives as a whole.
    ///   - characteristic: the characteristic to write.
    ///   - request: the central.
    /// - Throws: the error that the central gets.
    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError)

    /// Handles an event.
    ///
    /// - Parameter event: what happened.
    func handle(_ event: PublicationEvent) async
}

/// A responder that may be called on the radio's executor, as it never takes long, and calls no code of
/// whoever uses it.
package protocol PromptResponder: GATTResponder {}

extension GATTResponder {
    /// Does nothing.
    public func didPublish(_ publication: any Publication) async {}

    /// Refuses the read with ``ATTError/readNotPermitted``.
    public func read(
        _ characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) -> [UInt8] {
        throw .readNotPermitted
    }

    /// Refuses the write with ``ATTError/writeNotPermitted``.
    public func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) {
        throw .writeNotPermitted
    }

    /// Does nothing.
    public func handle(_ event: PublicationEvent) async {}
}
