/// A release of BlueZ, as which a daemon behaves.
///
/// Each difference was seen of a real bluetoothd of that release with virtual controllers.
public struct BlueZVersion: Sendable, Hashable, CustomStringConvertible {
    /// The number, `5.66`.
    public let description: String

    let behavior: Behavior

    private init(_ description: String, _ behavior: Behavior) {
        self.description = description
        self.behavior = behavior
    }

    /// Finds a release by its number; there is none for one that is not among ``all``.
    ///
    /// - Parameter text: the number, `5.66`.
    public init?(_ text: String) {
        guard let version = Self.all.first(where: { $0.description == text }) else { return nil }
        self = version
    }

    /// That of Debian 12.
    public static let v5_66 = BlueZVersion("5.66", Behavior())

    /// That of Debian 13: one ATT channel, Generic Access and handles shown.
    public static let v5_82 = BlueZVersion("5.82", .since5_82)

    /// Newer still: it tells why a link ended, and dies of a discovery filter with UUIDs.
    public static let v5_87 = BlueZVersion("5.87", .since5_87)

    /// Those that a daemon can be, the oldest first.
    public static let all = [v5_66, v5_82, v5_87]
}
