/// One user's link to a peripheral, over a connection that may have several.
///
/// Requests return when the peer has replied. What the peer sends by itself comes in ``events``, a
/// single ordered stream for one consumer, or in the streams of ``notifications(of:)``, one for each
/// consumer. A notification may arrive before the reply to the write that caused it, so prepare for it
/// before writing.
///
/// Whoever calls ``CentralRadio/connect(to:)`` has a link, with events, subscriptions and an end of its own:
/// two parts of a program, or two programs, that are connected to the same peer do not notice each
/// other.
public protocol Link: Sendable {
    /// The peer at the other end.
    var peer: PeerID { get }

    /// The peer's services, as far as they are known now; empty once the link has ended.
    ///
    /// Services that the peer has removed are missing.
    var services: [GATTService] { get async }

    /// The ATT MTU of the connection in bytes, at least 23; see ``LinkEvent/mtuChanged(_:)``.
    ///
    /// Source: Core specification, Vol 3, Part F, 3.2.8.
    var mtuBytes: Int { get async }

    /// What the peer sends and what happens to the link, in order; for one consumer.
    ///
    /// The stream ends after ``LinkEvent/disconnected(_:)``, which comes exactly once. At most 256
    /// events wait for the consumer; when a peer sends more, this link ends with
    /// ``RadioError/Code/overflow``, and no other one.
    var events: AsyncStream<LinkEvent> { get }

    /// Discovers the peer's services.
    ///
    /// They are known for the connection: returns at once when another link over it has discovered them.
    /// Requests to their characteristics can be made from then on.
    ///
    /// - Returns: all of them, with their characteristics and descriptors, in the order of their handles.
    ///   The client characteristic configuration (0x2902) is among the descriptors on some systems.
    /// - Throws: ``RadioError`` when the link ends before they are known; `CancellationError`, which
    ///   does not end the link.
    func discoverServices() async throws -> [GATTService]

    /// Reads the whole value of a characteristic.
    ///
    /// The value that was read is not reported as ``LinkEvent/notification(_:_:)``. That of a read that was cancelled
    /// may be, to who has subscribed: BlueZ signals values that were read and values that were notified alike.
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
    ///   - value: at most ``maximumWriteByteCount(_:)`` bytes; a value longer than ``mtuBytes`` − 3 is sent
    ///     as a long write.
    ///   - characteristic: the characteristic to write.
    /// - Throws: ``ATTError`` when the peer refuses; ``RadioError``; `CancellationError`, which
    ///   does not undo a write that has been sent.
    func write(_ value: [UInt8], to characteristic: AttributeID) async throws

    /// Writes the value of a characteristic with a write command, to which the peer does not reply.
    ///
    /// Returns when the system has taken the value: whoever awaits each call before the next one never
    /// has more than one value waiting here. Values arrive in the order of the calls over one ATT bearer;
    /// over several (EATT), which two BlueZ before 5.82 open between them, they may overtake each other,
    /// and so may notifications: number them where the order counts. The value is
    /// lost when the connection ends before it has been sent, and when the peer does not take it.
    ///
    /// - Parameters:
    ///   - value: at most ``maximumWriteByteCount(_:)`` bytes.
    ///   - characteristic: a characteristic with ``CharacteristicProperties/writeWithoutResponse``.
    /// - Throws: ``RadioError`` with ``RadioError/Code/valueTooLong``, ``RadioError/Code/unsupported`` when the
    ///   characteristic does not have that property; `CancellationError`.
    func writeWithoutResponse(_ value: [UInt8], to characteristic: AttributeID) async throws

    /// The most bytes that one write carries.
    ///
    /// For a write command it grows and shrinks with ``mtuBytes``.
    ///
    /// - Parameter kind: with or without a response.
    /// - Returns: 512 with a response; without one at most ``mtuBytes`` − 3.
    func maximumWriteByteCount(_ kind: WriteKind) async -> Int

    /// Reads the value of a descriptor.
    ///
    /// - Parameter descriptor: the descriptor to read.
    /// - Returns: the value, 0 to 512 bytes.
    /// - Throws: ``ATTError`` when the peer refuses; ``RadioError`` with
    ///   ``RadioError/Code/missingAttribute`` when there is none; `CancellationError`.
    func read(_ descriptor: DescriptorID) async throws -> [UInt8]

    /// Writes the value of a descriptor with a write request.
    ///
    /// - Parameters:
    ///   - value: 0 to 512 bytes.
    ///   - descriptor: the descriptor to write; not the client characteristic configuration (0x2902), for
    ///     which there is ``subscribe(to:)``.
    /// - Throws: ``ATTError`` when the peer refuses; ``RadioError``; `CancellationError`.
    func write(_ value: [UInt8], to descriptor: DescriptorID) async throws

    /// Subscribes to a characteristic's notifications or indications, which then come in ``events``.
    ///
    /// Returns when the peer has confirmed; at once when this link has subscribed already.
    ///
    /// - Parameter characteristic: the characteristic to subscribe to.
    /// - Throws: ``ATTError`` when the peer refuses; ``RadioError``; `CancellationError`.
    func subscribe(to characteristic: AttributeID) async throws

    /// Unsubscribes from a characteristic. Does nothing without a subscription.
    ///
    /// The peer is asked to stop when nobody else on the connection has subscribed.
    ///
    /// - Parameter characteristic: the characteristic to unsubscribe from.
    /// - Throws: ``RadioError``, `CancellationError`.
    func unsubscribe(from characteristic: AttributeID) async throws

    /// Subscribes to a characteristic's notifications or indications, with a stream of its own.
    ///
    /// Each call returns another stream; all get every value. The values don't come in ``events``, unless
    /// ``subscribe(to:)`` was called as well. The subscription ends when the stream is no longer
    /// consumed.
    ///
    /// - Parameter characteristic: the characteristic to subscribe to.
    /// - Returns: the values in order, once the peer has confirmed; for one consumer. It ends with the link,
    ///   without an error after ``disconnect()``, else with the cause; with
    ///   ``RadioError/Code/servicesInvalidated`` when the peer removes the service, and with
    ///   ``RadioError/Code/overflow`` when more than 256 values wait for the consumer, which ends no
    ///   other stream.
    /// - Throws: ``ATTError`` when the peer refuses; ``RadioError``; `CancellationError`.
    func notifications(
        of characteristic: AttributeID
    ) async throws -> AsyncThrowingStream<[UInt8], any Error>

    /// Acquires exclusive access for writing without a response.
    ///
    /// Only for who needs it: it locks others out. Fall back to ``writeWithoutResponse(_:to:)`` when this fails.
    ///
    /// - Parameter characteristic: a characteristic with ``CharacteristicProperties/writeWithoutResponse``.
    /// - Returns: the writer.
    /// - Throws: ``RadioError`` with ``RadioError/Code/busy`` when another program has acquired it,
    ///   ``RadioError/Code/unsupported`` where the radio or the characteristic has no such access;
    ///   `CancellationError`.
    func acquireWriter(
        for characteristic: AttributeID
    ) async throws -> any CharacteristicWriter

    /// Acquires exclusive access to notifications, and subscribes.
    ///
    /// Only for who needs it: it locks others out. Fall back to ``notifications(of:)`` when this fails.
    ///
    /// - Parameter characteristic: a characteristic with ``CharacteristicProperties/notify``.
    /// - Returns: the reader, once the peer has confirmed.
    /// - Throws: as ``acquireWriter(for:)``; ``RadioError/Code/busy`` also when the characteristic is subscribed to.
    func acquireReader(
        for characteristic: AttributeID
    ) async throws -> any CharacteristicReader

    /// Has the system forget the peer's services, for a peer that turns out to have others.
    ///
    /// Systems keep the services of a peer over connections, and not every peer says that it has changed them. They are
    /// forgotten when this link is disconnected, which is what to do next; ``CentralRadio/connect(to:options:)`` then finds the
    /// peer again, and ``discoverServices()`` discovers what it has.
    ///
    /// - Returns: whether they will be; `false` where the system keeps none, where the peer is to be remembered (BlueZ: paired,
    ///   trusted or blocked), and while another link or another program uses the connection.
    func forgetServices() async -> Bool

    /// Disconnects this link. Does nothing when it has ended.
    ///
    /// The connection itself stays while another link or another program uses it. Returns when the request
    /// has been handed to the system, which may take seconds to carry it out;
    /// ``LinkEvent/disconnected(_:)`` follows when it has.
    func disconnect() async
}

extension Link {
    /// Nothing is kept, so that there is nothing to forget.
    public func forgetServices() async -> Bool { false }

    /// Fails with ``RadioError/Code/unsupported``.
    public func acquireWriter(
        for characteristic: AttributeID
    ) async throws -> any CharacteristicWriter {
        throw RadioError(.unsupported, "acquiring \(characteristic): this radio cannot")
    }

    /// Fails with ``RadioError/Code/unsupported``.
    public func acquireReader(
        for characteristic: AttributeID
    ) async throws -> any CharacteristicReader {
        throw RadioError(.unsupported, "acquiring \(characteristic): this radio cannot")
    }
}
