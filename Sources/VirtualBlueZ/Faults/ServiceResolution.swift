/// What becomes of a peer's services when a link is there.
public struct ServiceResolution: Sendable, Hashable {
    enum Kind: Hashable { case early, never, late(Duration) }

    let kind: Kind

    /// `ServicesResolved` becomes true before there are objects; these come after
    /// ``Timing/resolving``.
    ///
    /// Source: bluez/bluez issue 1489, seen after an attempt to connect was aborted.
    public static let early = ServiceResolution(kind: .early)

    /// `ServicesResolved` stays false, and there are no objects, as long as the link lasts.
    public static let never = ServiceResolution(kind: .never)

    /// `ServicesResolved` becomes true, and the objects come, only after a time, if the link lasts so long.
    ///
    /// Two hosts that called each other in the same instant: 31 s on both sides, seen of 5.66.
    ///
    /// - Parameter delay: how much later than without it.
    /// - Returns: the resolution.
    public static func late(by delay: Duration) -> ServiceResolution {
        ServiceResolution(kind: .late(delay))
    }
}
