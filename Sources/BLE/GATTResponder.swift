/// Who answers what centrals ask of a ``Publication``.
///
/// The radio calls one method at a time, in the order in which things happened on the air.
///
/// Reply at once, from what is known by then. While a write waits for its reply, all others wait
/// behind it; after 5 s the system answers in the responder's place; and every version of
/// bluetoothd tried so far crashes when a link is lost meanwhile. What takes longer is told later,
/// with ``Publication/update(_:to:)``.
public protocol GATTResponder: Sendable {
    /// A central reads a value.
    ///
    /// - Parameters:
    ///   - characteristic: what it reads.
    ///   - request: who reads, and from which byte on.
    /// - Returns: the value from its first byte on; the radio leaves off what stands before the
    ///   offset.
    /// - Throws: the refusal that the central gets.
    func read(
        _ characteristic: BluetoothUUID,
        _ request: GATTRequest
    ) async throws(ATTError) -> [UInt8]

    /// A central writes a value.
    ///
    /// - Parameters:
    ///   - value: what it writes; a long write arrives whole.
    ///   - characteristic: what it is written to.
    ///   - request: who writes.
    /// - Throws: the refusal that the central gets.
    func write(
        _ value: [UInt8],
        to characteristic: BluetoothUUID,
        _ request: GATTRequest
    ) async throws(ATTError)

    /// What happens besides reads and writes.
    ///
    /// - Parameter event: what happened.
    func handle(_ event: PublicationEvent) async
}
