/// How long a confirmation is waited for before bytes are sent again.
///
/// Source: RFC 6298, with limits for Bluetooth LE: a connection interval may have 4 s, most have 50 ms.
struct RetransmissionTimer: Sendable {
    /// How much longer than most a round trip may take all the same: a queue grows, a machine is slow for a moment.
    private static let margin = Duration.milliseconds(200)
    private static let maximum = Duration.seconds(10)

    private var mean: Duration?
    private var deviation = Duration.zero
    private var factor = 1

    /// How long a confirmation is waited for.
    var limit: Duration {
        let limit = mean.map { $0 + max(deviation * 4, Self.margin) } ?? .seconds(1)
        return min(limit * factor, Self.maximum)
    }

    /// A confirmation has taken so long.
    mutating func add(_ time: Duration) {
        factor = 1
        guard let mean else {
            mean = time
            deviation = time / 2
            return
        }
        let difference = time > mean ? time - mean : mean - time
        deviation = (deviation * 3 + difference) / 4
        self.mean = (mean * 7 + time) / 8
    }

    /// None came in time: the next may take twice as long.
    mutating func backOff() {
        factor = min(factor * 2, 64)
    }

    /// Another link has other times.
    mutating func reset() {
        self = RetransmissionTimer()
    }
}
