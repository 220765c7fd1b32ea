/// Handles the requests of the centrals of a ``Publication``.
///
/// The radio calls one method at a time, in the order in which requests and events arrived; those of
/// an actor, or of a `@MainActor` class, run there.
///
/// Reply at once, with what is known. While a write waits for its reply, all other requests wait
/// behind it. After 4 s the radio refuses in the responder's place. And every version of bluetoothd
/// tried so far crashes when the connection is lost while a write waits. What takes longer is
/// notified later, with ``Publication/update(_:to:)``.
public protocol GATTResponder: Sendable {
    /// Handles a read.
    ///
    /// - Parameters:
    ///   - characteristic: the characteristic to read.
    ///   - request: the central and the offset.
    /// - Returns: the whole value; the radio removes what comes before the offset.
    /// - Throws: the error that the central gets.
    func read(
        _ characteristic: BluetoothUUID,
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
        to characteristic: BluetoothUUID,
        _ request: GATTRequest
    ) async throws(ATTError)

    /// Handles an event.
    ///
    /// - Parameter event: what happened.
    func handle(_ event: PublicationEvent) async
}
