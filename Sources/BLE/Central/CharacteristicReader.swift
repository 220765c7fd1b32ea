/// Exclusive access to a characteristic's notifications, past the system's events.
///
/// It ends with ``close()``, with the link, with the characteristic's service, and when nobody has it, or ``values``, any longer. As long as it is open, no other program of this machine, and no other link, can subscribe to the
/// characteristic.
///
/// BlueZ: a socket from `AcquireNotify`. Another program's `StopNotify` closes it, which ends ``values`` with
/// ``RadioError/Code/peerGone``; subscribe with ``Link/subscribe(to:)`` then.
public protocol CharacteristicReader: Sendable {
    /// The values, in the order in which the system has got them; for one consumer.
    ///
    /// Where both systems lack ``RadioCapabilities/Features/orderedValues``, as between two BlueZ 5.66, values overtake each other on the air.
    ///
    /// It ends after ``close()``, and with a ``RadioError``: ``RadioError/Code/peerGone`` when the connection, or the
    /// access, has ended, ``RadioError/Code/servicesInvalidated`` when the peer removes the service, ``RadioError/Code/overflow`` when more than 256 values wait, which ends the access.
    var values: AsyncThrowingStream<[UInt8], any Error> { get }

    /// Unsubscribes, and gives the access back. Does nothing when it has ended.
    func close() async
}
