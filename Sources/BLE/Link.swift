/// A connection to one peer, seen from the central.
///
/// Requests return when the peer replied. What the peer says of its own comes in ``events``, one
/// ordered stream for one consumer. A notification may come before the reply to the write that
/// caused it: be ready for it before writing.
public protocol Link: Sendable {
    /// Who is at the other end.
    var peer: PeerID { get }

    /// The peer's services, as they are now; empty once the link has ended.
    ///
    /// Each service that the peer has taken back is missing.
    var services: [GATTService] { get async }

    /// The most bytes that one ATT packet carries, at least 23; the value of a write request has
    /// 3 less.
    ///
    /// Source: Core specification, Vol 3, Part F, 3.2.8.
    var mtuBytes: Int { get async }

    /// What the peer says, in order; for one consumer.
    ///
    /// The stream ends after ``LinkEvent/disconnected(_:)``, which comes exactly once. At most 256
    /// events wait for the consumer; a peer that sends more is disconnected with
    /// ``RadioError/Code/overflow``.
    var events: AsyncStream<LinkEvent> { get }

    /// Reads a characteristic's value, all of it.
    ///
    /// Reading causes no ``LinkEvent/notification(_:_:)``, even where the system reports it so.
    ///
    /// - Parameter characteristic: what to read.
    /// - Returns: the value, 0 to 512 bytes.
    /// - Throws: ``ATTError`` when the peer refuses; ``RadioError``; `CancellationError`.
    func read(_ characteristic: AttributeID) async throws -> [UInt8]

    /// Writes a characteristic's value with a write request, and waits for the reply.
    ///
    /// Writes to one characteristic are sent one after the other, in the order of the calls.
    ///
    /// - Parameters:
    ///   - value: 0 to 512 bytes; a value longer than ``mtuBytes`` − 3 is sent as a long write.
    ///   - characteristic: what to write.
    /// - Throws: ``ATTError`` when the peer refuses; ``RadioError``; `CancellationError`, which
    ///   does not take back what was sent.
    func write(_ value: [UInt8], to characteristic: AttributeID) async throws

    /// Asks to be told a characteristic's values.
    ///
    /// Returns when the peer has confirmed. Doing so again succeeds at once.
    ///
    /// - Parameter characteristic: what to be told.
    /// - Throws: ``RadioError``; ``ATTError``; `CancellationError`.
    func subscribe(to characteristic: AttributeID) async throws

    /// No longer wants to be told a characteristic's values.
    ///
    /// - Parameter characteristic: what not to be told.
    /// - Throws: ``RadioError``; `CancellationError`. Without a subscription nothing happens.
    func unsubscribe(from characteristic: AttributeID) async throws

    /// Ends the link.
    ///
    /// Returns when the request has been handed to the system, which may take seconds to carry it
    /// out; ``LinkEvent/disconnected(_:)`` tells when it is done. Without a link nothing happens.
    func disconnect() async
}
