/// What becomes of a method call, in place of what the daemon would do.
///
/// ```swift
/// await daemon.simulateCallFault(.inProgress, on: "org.bluez.Adapter1.StartDiscovery", times: 3)
/// await daemon.simulateCallFault(.crash, on: "org.bluez.GattCharacteristic1.WriteValue")
/// ```
public struct CallFault: Sendable, Hashable {
    enum Effect: Sendable, Hashable {
        case failure(name: String, text: String)
        case inProgress
        case late(Duration)
        case lateReply(Duration)
        case replyAfterNotification
        case ignored
        case lostReply
        case crash
    }

    let effect: Effect

    /// The call does nothing and fails.
    ///
    /// - Parameters:
    ///   - name: the error's name, `org.bluez.Error.Failed`.
    ///   - text: its text, as a person reads it.
    /// - Returns: the fault.
    public static func failure(_ name: String, _ text: String) -> CallFault {
        CallFault(effect: .failure(name: name, text: text))
    }

    /// The call does nothing and fails as one that finds another under way.
    ///
    /// The words are BlueZ's own for the method and the release: `Adapter1` says "Operation already
    /// in progress", others "In Progress"; `Connect` of 5.66 fails with `Failed`.
    ///
    /// Source: BlueZ, src/error.c, `btd_error_busy`, `btd_error_in_progress`.
    public static let inProgress = CallFault(effect: .inProgress)

    /// The daemon does what it is called for, but only after a time, and replies then.
    ///
    /// - Parameter delay: how long the call lies there.
    /// - Returns: the fault.
    public static func late(by delay: Duration) -> CallFault {
        CallFault(effect: .late(delay))
    }

    /// The daemon does what it is called for at once; the reply, also an error, comes after a time.
    ///
    /// Signals that belong to it overtake the reply.
    ///
    /// - Parameter delay: how long the reply is held.
    /// - Returns: the fault.
    public static func lateReply(by delay: Duration) -> CallFault {
        CallFault(effect: .lateReply(delay))
    }

    /// The daemon does what it is called for at once; the reply comes right after the next
    /// notification of the same characteristic, or after ``Timing/handlerLimit`` without one.
    ///
    /// So an answer comes before the reply to the write, or a value before that to `StartNotify`.
    public static let replyAfterNotification = CallFault(effect: .replyAfterNotification)

    /// The call does nothing, and no reply comes.
    public static let ignored = CallFault(effect: .ignored)

    /// The daemon does what it is called for; no reply comes.
    ///
    /// 5.82 and 5.87 are so by themselves to a write that is under way when the adapter goes.
    public static let lostReply = CallFault(effect: .lostReply)

    /// The daemon dies before it has done anything, as by a crash; see ``VirtualDaemon/kill()``.
    public static let crash = CallFault(effect: .crash)
}
