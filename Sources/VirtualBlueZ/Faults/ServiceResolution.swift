/// What becomes of a peer's services when a link is there.
public struct ServiceResolution: Sendable, Hashable {
    private enum Kind { case early, never }

    private let kind: Kind

    /// `ServicesResolved` becomes true before there are objects; these come after
    /// ``Timing/resolving``.
    ///
    /// Source: bluez/bluez issue 1489, seen after an attempt to connect was aborted.
    public static let early = ServiceResolution(kind: .early)

    /// `ServicesResolved` stays false, and there are no objects, as long as the link lasts.
    public static let never = ServiceResolution(kind: .never)
}
