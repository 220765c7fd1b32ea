/// A connection to a peripheral.
///
/// Requests return when the peer has replied. What the peer sends by itself comes in ``events``, a
/// single ordered stream for one consumer. A notification may arrive before the reply to the write
/// that caused it, so prepare for it before writing.
public protocol Link: Sendable {
    /// The peer at the other end.
    var peer: PeerID { get }

    /// The peer's services as they are now; empty once the link has ended.
    ///
    /// Services that the peer has removed are missing.
    var services: [GATTService] { get async }

    /// The ATT MTU of the connection in bytes, at least 23. A write request carries 3 bytes less.
    ///
    /// Source: Core specification, Vol 3, Part F, 3.2.8.
    var mtuBytes: Int { get async }

    /// What the peer sends and what happens to the link, in order; for one consumer.
    ///
    /// The stream ends after ``LinkEvent/disconnected(_:)``, which comes exactly once. At most 256
    /// events wait for the consumer; a peer that sends more is disconnected with
    /// ``RadioError/Code/overflow``.
    var events: AsyncStream<LinkEvent> { get }

    /// Reads the whole value of a characteristic.
    ///
    /// The value that was read is not reported as ``LinkEvent/notification(_:_:)``.
    ///
    /// - Parameter characteristic: the characteristic to read.
    /// - Returns: the value, 0 to 512 bytes.
    /// - Throws: ``ATTError`` when the peer refuses; ``RadioError``; `CancellationError`.
    func read(_ characteristic: AttributeID) async throws -> [UInt8]

    /// Writes the value of a characteristic with a write request.
    ///
    /// Returns when the peer has accepted the value. Writes to one characteristic are sent one after
    /// the other, in the order of the calls.
    ///
    /// - Parameters:
    ///   - value: 0 to 512 bytes; a value longer than ``mtuBytes`` − 3 is sent as a long write.
    ///   - characteristic: the characteristic to write.
    /// - Throws: ``ATTError`` when the peer refuses; ``RadioError``; `CancellationError`, which
    ///   does not undo a write that has been sent.
    func write(_ value: [UInt8], to characteristic: AttributeID) async throws

    /// Subscribes to a characteristic's notifications or indications.
    ///
    /// Returns when the peer has confirmed; at once when the characteristic is subscribed to already.
    ///
    /// - Parameter characteristic: the characteristic to subscribe to.
    /// - Throws: ``ATTError`` when the peer refuses; ``RadioError``; `CancellationError`.
    func subscribe(to characteristic: AttributeID) async throws

    /// Unsubscribes from a characteristic. Does nothing without a subscription.
    ///
    /// - Parameter characteristic: the characteristic to unsubscribe from.
    /// - Throws: ``RadioError``, `CancellationError`.
    func unsubscribe(from characteristic: AttributeID) async throws

    /// Disconnects this program. Does nothing when the link has ended.
    ///
    /// The connection itself may stay when another program uses it. Returns when the request has been
    /// handed to the system, which may take seconds to carry it out; ``LinkEvent/disconnected(_:)``
    /// follows when it has.
    func disconnect() async
}
