/// What becomes of the next things that happen between devices, in a row for each.
struct FaultRow<Fault: Sendable>: Sendable {
    private var rows: [DeviceID: [(fault: Fault, times: Int)]] = [:]

    /// Adds a fault behind those that there are.
    ///
    /// - Parameters:
    ///   - fault: what becomes of it.
    ///   - times: how often, 1 or more.
    ///   - id: the device.
    mutating func add(_ fault: Fault, times: Int, to id: DeviceID) {
        precondition(times > 0, "\(times) times")
        rows[id, default: []].append((fault, times))
    }

    /// Takes the next fault out; `nil` when there is none left.
    mutating func next(of id: DeviceID) -> Fault? {
        guard let (fault, times) = rows[id]?.first else { return nil }
        if times > 1 {
            rows[id]?[0].times = times - 1
        } else {
            rows[id]?.removeFirst()
        }
        return fault
    }
}
