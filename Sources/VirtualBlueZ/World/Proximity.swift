/// How near two adapters are to each other.
public struct Proximity: Sendable, Hashable {
    /// The signal strength at which they receive each other, in dBm; `nil` out of range.
    public let rssi: Int?

    /// Makes a distance.
    ///
    /// - Parameter rssi: the signal strength at which they receive each other, −127…20 dBm; `nil` out of
    ///     range.
    public init(rssi: Int?) {
        self.rssi = rssi.map { min(20, max(-127, $0)) }
    }

    /// Side by side, −30 dBm.
    public static let immediate = Proximity(rssi: -30)

    /// In the same room, −50 dBm: as virtual controllers always receive each other.
    public static let near = Proximity(rssi: -50)

    /// At the edge, −85 dBm.
    public static let far = Proximity(rssi: -85)

    /// Too far to receive each other.
    public static let outOfRange = Proximity(rssi: nil)

    private static let named: [(name: String, proximity: Proximity)] = [
        ("immediate", immediate), ("near", near), ("far", far), ("outOfRange", outOfRange),
    ]

    /// What the distances above are called.
    static let names = named.map(\.name)

    /// - Returns: `nil` for another word.
    init?(name: String) {
        guard let match = Self.named.first(where: { $0.name == name }) else { return nil }
        self = match.proximity
    }
}
