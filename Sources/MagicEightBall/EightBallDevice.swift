public import BLE

/// The other end: a ball (``BallDevice``) or an asker (``AskerDevice``).
///
/// Two devices are the same when their ``id`` is.
public protocol EightBallDevice: Sendable {
    /// The identity of this device, for as long as the radio runs.
    var id: PeerID { get }

    /// The name that the device advertises; empty for an asker, which advertises none.
    var name: String { get }

    /// Why a question failed last, or the connection; `nil` when neither has since the last question was begun.
    ///
    /// While one question is under way, another one may fail, as one that is refused at once, or is cancelled while it waits.
    var error: EightBallError? { get async }

    /// Rejects this device.
    ///
    /// A ball is disconnected, and the questions to it, also those that wait, end with
    /// ``EightBallError/Code/rejected(_:)``; that is also what observers are told of the connection. An
    /// asker is refused with the reason, for what it has asked already and for each further question;
    /// once it has read that, or after ``Timeouts/closing``, its connection is ended. It may connect
    /// again.
    ///
    /// - Parameter reason: what the other end or, where nothing is sent, the observers are told.
    func rejectConnection(because reason: RejectionReason) async
}
