/// How far a message that the user sent has come.
///
/// It only goes forward, in the order of the cases; ``failed(_:)`` comes of the first three, and is left by
/// ``ChatStore/resend(_:to:)``, or by a receipt that was late.
public enum DeliveryState: Hashable, Sendable {
    /// It waits for the friend to be near.
    case waiting
    /// It is on its way.
    case sending
    /// It has left. A text to an original stays so when others are connected, as no system says who of them has confirmed it.
    case sent
    /// The friend has it.
    case delivered
    /// The friend has read it.
    case read
    /// It did not arrive, and why.
    case failed(String)

    /// Whether a message may come from this state into another by what happens to it.
    ///
    /// - Parameter next: the other state.
    /// - Returns: whether that is a step forward.
    public func canBecome(_ next: DeliveryState) -> Bool {
        switch (self, next) {
        case (.failed, .delivered), (.failed, .read): true
        case (.failed, _): false
        case (_, .failed): rank < DeliveryState.delivered.rank
        default: rank < next.rank
        }
    }

    /// The state's place in the order, and in the database.
    var rank: Int {
        switch self {
        case .waiting: 0
        case .sending: 1
        case .sent: 2
        case .delivered: 3
        case .read: 4
        case .failed: 5
        }
    }

    /// The state's name, without the reason of a failure.
    package var name: String {
        if case .failed = self { "failed" } else { "\(self)" }
    }

    /// Why it failed.
    package var reason: String? {
        guard case .failed(let reason) = self else { return nil }
        return reason
    }

    /// The state as the database has it; `nil` for what is none.
    init?(rank: Int64, reason: String?) {
        switch rank {
        case 0: self = .waiting
        case 1: self = .sending
        case 2: self = .sent
        case 3: self = .delivered
        case 4: self = .read
        case 5: self = .failed(reason ?? "")
        default: return nil
        }
    }
}
