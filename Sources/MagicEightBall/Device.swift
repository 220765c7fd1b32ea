public import BLE

/// The other end: a ball (``PeripheralDevice``) or an asker (``CentralDevice``).
///
/// Two devices are the same when their ``id`` is.
public protocol Device: Sendable {
    /// What tells this device from others, for as long as the radio runs.
    var id: PeerID { get }

    /// The name that the device has given itself; empty for an asker, which tells none.
    var name: String { get }

    /// Why the last question came to nothing; `nil` when it did not, or is under way.
    var error: EightBallError? { get async }

    /// Has no more to do with this device.
    ///
    /// A ball is disconnected, and the questions to it, also those that wait, end with
    /// ``EightBallError/Code/rejected(_:)``; that is also what the observers are told of the link. An
    /// asker's link cannot be ended by a ball: what it has asked already and each further question is
    /// refused with the reason, until it has disconnected.
    ///
    /// - Parameter reason: what the other end or, where nothing is sent, the observers are told.
    func rejectConnection(because reason: RejectionReason) async
}
