/// Exclusive access to a characteristic for writing without a response, past the system's queue.
///
/// It ends with ``close()``, with the link, with the characteristic's service, and when nobody has it any longer. It is faster than ``Link/writeWithoutResponse(_:to:)``, at a price: as long as it is open, no other program of this
/// machine, and no other link, can write to the characteristic. Nobody says whether a value has arrived; one
/// that is written just before the peer leaves is lost.
///
/// Values go out in the order of the calls. Where both systems lack ``RadioCapabilities/Features/orderedValues``, as between two BlueZ 5.66, they overtake each other on the air.
///
/// BlueZ: a socket from `AcquireWrite`. bluetoothd 5.66 takes values of 511 and 512 bytes and loses them.
public protocol CharacteristicWriter: Sendable {
    /// The most bytes that one value may have.
    var maximumByteCount: Int { get }

    /// Writes a value, after those of earlier calls; waits while the system takes no more.
    ///
    /// - Parameter value: 1 to ``maximumByteCount`` bytes.
    /// - Throws: ``RadioError`` with ``RadioError/Code/valueTooLong``, or ``RadioError/Code/peerGone`` once the
    ///   connection has ended or ``close()`` was called, or ``RadioError/Code/servicesInvalidated`` once the peer has removed the service, or ``RadioError/Code/busy`` when 1024 calls wait; `CancellationError`, then it was not written.
    func write(_ value: [UInt8]) async throws

    /// Gives the access back. Does nothing when it has ended.
    func close() async
}
