/// Who hears whom, and how loud.
struct Air {
    private var proximities: [Set<Int>: Proximity] = [:]

    /// How loud two adapters hear each other.
    ///
    /// - Returns: `nil` when they don't; one does not hear itself.
    func rssi(between adapter: Int, and other: Int) -> Int16? {
        guard adapter != other else { return nil }
        return (proximities[[adapter, other]] ?? .near).rssi.map { Int16(clamping: $0) }
    }

    mutating func set(_ proximity: Proximity, between adapter: Int, and other: Int) {
        proximities[[adapter, other]] = proximity
    }
}
