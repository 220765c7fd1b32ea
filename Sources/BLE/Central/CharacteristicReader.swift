/// Exclusive access to a characteristic's notifications, past the system's events.
///
/// As long as it is open, no other program of this machine, and no other link, can subscribe to the
/// characteristic.
///
/// BlueZ: a socket from `AcquireNotify`. Another program's `StopNotify` closes it, which ends ``values`` with
/// ``RadioError/Code/peerGone``; subscribe with ``Link/subscribe(to:)`` then.
public protocol CharacteristicReader: Sendable {
    /// The values in order; for one consumer.
    ///
    /// It ends after ``close()``, and with a ``RadioError``: ``RadioError/Code/peerGone`` when the connection, or the
    /// access, has ended, ``RadioError/Code/overflow`` when more than 256 values wait, which ends the access.
    var values: AsyncThrowingStream<[UInt8], any Error> { get }

    /// Unsubscribes, and gives the access back. Does nothing when it has ended.
    func close() async
}
