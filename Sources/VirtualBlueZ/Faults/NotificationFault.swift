/// What becomes of a notification at the adapter that receives it.
///
/// One that comes early, before the reply to the call that it answers, is a fault of that call:
/// ``CallFault/replyAfterNotification``.
public struct NotificationFault: Sendable, Hashable {
    enum Effect: Sendable, Hashable {
        case lost
        case doubled
        case late(Duration)
    }

    let effect: Effect

    /// Nobody gets it.
    public static let lost = NotificationFault(effect: .lost)

    /// It is told twice.
    public static let doubled = NotificationFault(effect: .doubled)

    /// It is told after a time, unless the link has ended; what comes behind it overtakes it.
    ///
    /// - Parameter delay: how long it lies there.
    /// - Returns: the fault.
    public static func late(by delay: Duration) -> NotificationFault {
        NotificationFault(effect: .late(delay))
    }
}
